-- range value -1000 1000
-- view head
SELECT *, key IS DISTINCT FROM lag(key) OVER (ORDER BY row) AS head,
	sum(value) OVER (ORDER BY row) - value AS before, lag(value, 1, 0) OVER (ORDER BY row) AS previous
FROM n
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g FROM head
-- table g
SELECT sum(before) AS total, arg_max(before, row) AS last, sum(previous) AS previous FROM run GROUP BY g ORDER BY g
