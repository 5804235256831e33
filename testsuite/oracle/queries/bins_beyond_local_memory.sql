-- range c -1000000 1000000
-- choose x -0.5 1 2
-- view binned
SELECT *, (c & 65535) % 12000 AS d FROM n
-- table n
SELECT sum(c) OVER (PARTITION BY k) AS total, count(*) OVER (PARTITION BY k) AS rows, sum(x) OVER (PARTITION BY k) AS large,
	bool_or(c > 0) OVER (PARTITION BY k) AS any, sum(c::BIGINT * c) OVER (PARTITION BY d) AS others,
	count(*) FILTER (c % 2 = 1) OVER (PARTITION BY d) AS odd
FROM binned ORDER BY row
