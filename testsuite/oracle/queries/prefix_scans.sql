-- table n
SELECT sum(x) OVER (ORDER BY row) AS inc, sum(x) OVER (ORDER BY row) - x AS exc, max(x) OVER (ORDER BY row) AS hi
FROM n ORDER BY row
