-- view found
SELECT n.row, min(m.row) AS f FROM n LEFT JOIN m ON probe = key GROUP BY n.row
-- table n
SELECT coalesce(f, -1) AS row FROM found ORDER BY found.row
-- table scalars
SELECT count(f) AS found FROM found
