-- view head
SELECT *, k IS DISTINCT FROM lag(k) OVER (ORDER BY row) AS head FROM n
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g FROM head
-- table g
SELECT first(k) AS key, count(*) AS rows, count(*) FILTER (m) AS marked, sum(x) AS sum, min(x) AS min, max(x) AS max,
	avg(x) AS avg, arg_max(x, row) AS last
FROM run GROUP BY g ORDER BY g
