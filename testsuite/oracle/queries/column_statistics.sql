-- range x -1000 1001000
-- table scalars
SELECT avg(x) AS a, min(x) AS lo, max(x) AS hi, coalesce(max(x) FILTER (x > 999999), 0) AS none FROM n
