-- table n
SELECT avg(x) OVER (ORDER BY row ROWS 6 PRECEDING) AS avg FROM n ORDER BY row
