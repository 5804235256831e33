-- view kept
SELECT *, (x, y) IS DISTINCT FROM lag((x, y)) OVER (ORDER BY row) AS head FROM n WHERE m
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g FROM kept
-- table g
SELECT arg_min(x, row) AS key, count(*) AS rows FROM run GROUP BY g ORDER BY g
