-- range day -600000 2000000
-- view q
SELECT *, date_trunc('quarter', day)::DATE AS quarter FROM n
-- table n
SELECT isodow(day) AS weekday, date_trunc('day', day)::DATE AS days, date_trunc('week', day)::DATE AS weeks,
	date_trunc('month', day)::DATE AS months, quarter AS quarters, date_trunc('year', day)::DATE AS years, day::TIMESTAMP AS midnight
FROM q ORDER BY row
-- table g
SELECT quarter, count(*) AS rows, max(day)::TIMESTAMP AS last FROM q GROUP BY quarter ORDER BY quarter
