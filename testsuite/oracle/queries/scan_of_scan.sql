-- range x -1000 1000
-- view once
SELECT row, sum(x) OVER (ORDER BY row) AS once FROM n
-- view twice
SELECT row, once, sum(once) OVER (ORDER BY row) AS twice FROM once
-- table n
SELECT once, twice, max(once + twice) OVER (ORDER BY row) AS peak FROM twice ORDER BY row
