-- view heads
SELECT *, k IS DISTINCT FROM lag(k) OVER (ORDER BY row) AS head, single IS DISTINCT FROM lag(single) OVER (ORDER BY row) AS other FROM n
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g, sum(other::INTEGER) OVER (ORDER BY row) AS h FROM heads
-- table g
SELECT count(*) AS rows, first(k) AS first FROM run GROUP BY g ORDER BY g
-- table h
SELECT first(single) AS single, count(*) AS length FROM run GROUP BY h ORDER BY h
