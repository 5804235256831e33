-- range x 0 3
-- fails
SELECT (SELECT count(*) > 0 FROM n WHERE x NOT BETWEEN 0 AND 3) OR (SELECT count(*) = 0 FROM n)
-- table n
SELECT place.row AS at, m.row AS other FROM n FULL JOIN m USING (row) LEFT JOIN n AS place ON place.row = n.x ORDER BY n.row
-- table b
SELECT coalesce(min(row), -1) AS least FROM range(4) AS b(bin) LEFT JOIN n ON x = bin GROUP BY bin ORDER BY bin
-- table scalars
SELECT 0 AS first
