-- range step -1000 1000
-- table n
SELECT step * n.row AS position, x > coalesce(avg(x) OVER (), 0) AS above FROM n, scalars ORDER BY n.row
