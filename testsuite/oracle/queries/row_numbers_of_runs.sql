-- view head
SELECT *, key IS DISTINCT FROM lag(key) OVER (ORDER BY row) AS head FROM n
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g FROM head
-- table g
SELECT min(row) AS first, max(row) AS last, count(*) AS count, sum(row) AS places FROM run GROUP BY g ORDER BY g
