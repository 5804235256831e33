-- view head
SELECT *, a IS DISTINCT FROM lag(a) OVER (ORDER BY row) AS head FROM n
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g FROM head
-- table n
SELECT a AND b AS both, a OR b AS either, a <> b AS exactly, NOT a AS not, CASE WHEN a THEN b ELSE true END AS chosen,
	lag(a, 1, false) OVER (ORDER BY row) AS before
FROM n ORDER BY row
-- table g
SELECT first(a) AS state, count(*) AS length, count(*) FILTER (b) AS bs FROM run GROUP BY g ORDER BY g
-- table scalars
SELECT count(*) FILTER (a AND b) AS ands FROM n
