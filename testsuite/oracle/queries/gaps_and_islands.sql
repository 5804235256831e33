-- range day -1000000 1000000
-- view head
SELECT *, day - row IS DISTINCT FROM lag(day - row) OVER (ORDER BY row) AS head FROM n
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g FROM head
-- table g
SELECT min(day) AS "from", max(day) AS "to", count(*) AS length FROM run GROUP BY g ORDER BY g
