-- range x -1000000000000 1000000000000
-- view head
SELECT *, k IS DISTINCT FROM lag(k) OVER (ORDER BY row) AS head FROM n
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g FROM head
-- table n
SELECT k, x::DOUBLE / (sum(x) OVER (PARTITION BY g))::DOUBLE AS share,
	row_number() OVER (PARTITION BY g ORDER BY row) AS row, count(*) OVER (PARTITION BY g) AS of
FROM run ORDER BY run.row
