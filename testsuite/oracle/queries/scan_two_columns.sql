-- range in -1000 1000
-- range out -1000 1000
-- view stock
SELECT row, sum("in") OVER (ORDER BY row) - sum("out") OVER (ORDER BY row) AS stock FROM n
-- table n
SELECT stock, min(stock) OVER (ORDER BY row) AS worst, stock < 0 AS short FROM stock ORDER BY row
