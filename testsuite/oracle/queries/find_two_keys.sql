-- view found
SELECT n.row, min(m.row) AS f FROM n LEFT JOIN m ON a = c AND b = d GROUP BY n.row
-- table n
SELECT coalesce(f, -1) AS row FROM found ORDER BY found.row
-- table hit
SELECT value FROM found JOIN m ON m.row = f ORDER BY found.row
-- table scalars
SELECT count(*) FILTER (f IS NULL) AS misses FROM found
