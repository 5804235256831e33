-- range near -30000 30000
-- view counted
SELECT *, count(*) OVER (PARTITION BY near, yes) AS counted FROM n
-- view alike
SELECT counted, count(*) AS alike FROM (SELECT near, yes, count(*) AS counted FROM n GROUP BY near, yes) GROUP BY counted
-- table n
SELECT sum(x) OVER (PARTITION BY near, yes) AS sum, last_value(x) OVER (PARTITION BY far ORDER BY row ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS last,
	min(x) OVER (PARTITION BY day) AS low, near AS first, day AS latest, alike,
	first_value(row) OVER (PARTITION BY near, yes ORDER BY x DESC, row ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS best,
	sum(near) OVER (PARTITION BY near, yes) AS nears
FROM counted JOIN alike USING (counted) ORDER BY counted.row
