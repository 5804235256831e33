-- view head
SELECT *, grade IS DISTINCT FROM lag(grade) OVER (ORDER BY row) AS head FROM n
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g FROM head
-- table g
SELECT first(grade) AS key, count(*) AS count, sum(score) AS total FROM run GROUP BY g ORDER BY g
