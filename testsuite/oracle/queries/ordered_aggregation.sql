-- choose w -2 0 1 2.5 1000
-- view head
SELECT *, (k1, k2) IS DISTINCT FROM lag((k1, k2)) OVER (ORDER BY row) AS head FROM n
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g FROM head
-- table g
SELECT first(k1) AS k1, first(k2) AS k2, count(*) AS c, sum(v) AS s, max(w) AS m FROM run GROUP BY g ORDER BY g
