-- view kept
SELECT *, k IS DISTINCT FROM lag(k) OVER (ORDER BY row) AS head FROM n WHERE valid
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g FROM kept
-- table g
SELECT first(k) AS key, count(*) AS count, sum(x) AS sum FROM run GROUP BY g ORDER BY g
