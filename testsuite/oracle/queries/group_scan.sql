-- table p
SELECT k AS key, sum(x) OVER (PARTITION BY k ORDER BY row) AS total FROM n ORDER BY k, row
