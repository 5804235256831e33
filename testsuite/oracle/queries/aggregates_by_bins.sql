-- range month 1 12
-- range sales -1000000000000 1000000000000
-- view b
SELECT * FROM range(1, 13) AS b(bin) LEFT JOIN n ON month = bin
-- fails
SELECT count(*) > 0 FROM n WHERE month NOT BETWEEN 1 AND 12
-- table b
SELECT count(month) AS count, coalesce(sum(sales), 0) AS sum, coalesce(min(sales), 0) AS low,
	coalesce(max(sales), 0) AS high, coalesce(avg(sales), 0) AS mean,
	coalesce(arg_min(sales, row), -1) AS first, coalesce(arg_max(sales, row), -1) AS last
FROM b GROUP BY bin ORDER BY bin
