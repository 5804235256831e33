-- table p
SELECT a, b FROM n ORDER BY a, b DESC
