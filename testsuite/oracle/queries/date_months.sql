-- view head
SELECT *, date_trunc('month', day) IS DISTINCT FROM lag(date_trunc('month', day)) OVER (ORDER BY row) AS head FROM n
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g FROM head
-- table g
SELECT year(min(day)) AS year, month(min(day)) AS month, sum(amount) AS amount, count(*) AS days FROM run GROUP BY g ORDER BY g
