-- view kept
SELECT row, x FROM n WHERE x > 10
-- table m
SELECT row, x AS value, row - lag(row, 1, 0) OVER (ORDER BY row) AS gap FROM kept ORDER BY row
-- table n
SELECT x AS back FROM n ORDER BY row DESC
