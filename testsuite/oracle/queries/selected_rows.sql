-- view head
SELECT *, x IS DISTINCT FROM lag(x) OVER (ORDER BY row) AS head FROM n
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) - 1 AS g FROM head
-- table run
SELECT g AS run FROM run GROUP BY g HAVING sum(x) > 2 ORDER BY g
