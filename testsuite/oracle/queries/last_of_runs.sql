-- view head
SELECT *, key IS DISTINCT FROM lag(key) OVER (ORDER BY row) AS head FROM n
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g FROM head
-- table g
SELECT arg_min(value, row) AS first, arg_max(value, row) AS last, count(*) AS count FROM run GROUP BY g ORDER BY g
