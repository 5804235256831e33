-- view head
SELECT *, x IS DISTINCT FROM lag(x) OVER (ORDER BY row) AS head FROM n
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g FROM head
-- table g
SELECT first(x) AS value, count(*) AS times FROM run GROUP BY g ORDER BY g
