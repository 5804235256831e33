-- view head
SELECT *, y IS DISTINCT FROM lag(y) OVER (ORDER BY row) AS head FROM n
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g FROM head
-- view k
SELECT g, first(y) AS k, count(*) AS c FROM run GROUP BY g
-- fails
SELECT count(*) = 0 FROM n
-- table k
SELECT k FROM k QUALIFY k > lag(k) OVER (ORDER BY g) ORDER BY g
-- table g
SELECT c FROM k ORDER BY g
