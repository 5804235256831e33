-- view e
SELECT m.row, base, position FROM m, range(length::BIGINT) AS r(position)
-- table e
SELECT base::HUGEINT + position AS value, position AS last FROM e ORDER BY row, position
-- table m
SELECT coalesce(sum(e.base::HUGEINT * position), 0) AS totals FROM m LEFT JOIN e USING (row) GROUP BY m.row ORDER BY m.row
