-- table scalars
SELECT coalesce(sum(x), 0) AS sum, count(*) AS count, coalesce(min(x), 0) AS min, coalesce(max(x), 0) AS max,
	coalesce(avg(x), 0) AS avg, coalesce(arg_min(x, n.row), -1) AS first, coalesce(arg_max(x, n.row), -1) AS last
FROM n, scalars WHERE x < "limit"
