-- table g
SELECT DISTINCT a, b FROM n ORDER BY a, b
