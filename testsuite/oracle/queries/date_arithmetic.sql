-- table n
SELECT shipped - ordered AS days, ordered + 30 AS due, shipped > ordered + 30 AS late,
	year(ordered) AS year, month(ordered) AS month, day(ordered) AS day, ordered - (shipped - ordered)::INTEGER AS earlier
FROM n ORDER BY row
-- table scalars
SELECT min(ordered) AS first, max(shipped) AS last FROM n
