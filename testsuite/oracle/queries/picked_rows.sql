-- view heads
SELECT *, k IS DISTINCT FROM lag(k) OVER (ORDER BY row) AS head, (k, y) IS DISTINCT FROM lag((k, y)) OVER (ORDER BY row) AS other FROM n
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g, sum(other::INTEGER) OVER (ORDER BY row) AS h FROM heads
-- table g
SELECT first(k) AS key, count(*) AS rows, count(*) * 2 AS twice, arg_min(x, row)::HUGEINT * 3 + first(k) AS x, min(row) AS row
FROM run GROUP BY g ORDER BY g
-- table h
SELECT arg_min(y, row) AS y, count(*) AS length FROM run GROUP BY h ORDER BY h
