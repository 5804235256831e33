-- table n
SELECT x, x::BIGINT + 1 AS next FROM n LEFT JOIN m ON m.row = i ORDER BY n.row
