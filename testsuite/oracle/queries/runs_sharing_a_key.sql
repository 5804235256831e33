-- view heads
SELECT *, (a, b) IS DISTINCT FROM lag((a, b)) OVER (ORDER BY row) AS head, b IS DISTINCT FROM lag(b) OVER (ORDER BY row) AS other FROM n
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g, sum(other::INTEGER) OVER (ORDER BY row) AS h FROM heads
-- table g
SELECT count(*) AS pairs, max(a) AS largest FROM run GROUP BY g ORDER BY g
-- table h
SELECT count(*) AS count, sum(a) AS total FROM run GROUP BY h ORDER BY h
