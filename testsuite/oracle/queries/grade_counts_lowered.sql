-- view head
SELECT *, grade IS DISTINCT FROM lag(grade) OVER (ORDER BY row) AS head FROM n
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g FROM head
-- table b
SELECT first(grade) AS key, count(*) AS count FROM run GROUP BY g ORDER BY g
