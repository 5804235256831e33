-- view heads
SELECT *, a IS DISTINCT FROM lag(a) OVER (ORDER BY row) AS head, b IS DISTINCT FROM lag(b) OVER (ORDER BY row) AS other FROM n
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g, sum(other::INTEGER) OVER (ORDER BY row) AS h FROM heads
-- table g
SELECT first(a) AS a, sum(v) AS x FROM run GROUP BY g ORDER BY g
-- table h
SELECT first(b) AS b, sum(v) AS y FROM run GROUP BY h ORDER BY h
