-- range day -600000 2000000
-- range at -60000000000000000 200000000000000000
-- view head
SELECT *, day IS DISTINCT FROM lag(day) OVER (ORDER BY row) AS head FROM n
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g FROM head
-- table n
SELECT amount, name FROM n ORDER BY row
-- table g
SELECT min(day) AS day, sum(amount) AS total, count(*) FILTER (known) AS known, count(*) AS rows, max("at") AS last, bool_and(seen) AS "all"
FROM run GROUP BY g ORDER BY g
