-- range x -1000 1000
-- table n
SELECT sum(x * x) OVER (ORDER BY row) AS total, sum(x * x) OVER (ORDER BY row) - x * x AS rest FROM n ORDER BY row
-- table scalars
SELECT coalesce(sum(x * x) FILTER (x % 2 <> 0), 0) - coalesce(sum(x * x) FILTER (x % 2 = 0), 0) AS difference,
	coalesce(sum(x * x) FILTER (x % 2 <> 0), 0)::DOUBLE / (coalesce(sum(x * x), 0) + 1)::DOUBLE AS ratio
FROM n
