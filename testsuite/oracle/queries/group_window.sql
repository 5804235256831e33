-- table n
SELECT v - sum(v) OVER (PARTITION BY k) AS diff FROM n ORDER BY row
