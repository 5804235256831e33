-- range x -1000 1000
-- view run
SELECT *, count(*) FILTER (reset OR row = 0) OVER (ORDER BY row) AS s FROM n
-- view total
SELECT *, sum(x) OVER (PARTITION BY s ORDER BY row) AS total FROM run
-- table n
SELECT total FROM total ORDER BY row
-- table s
SELECT max(total) AS peak, count(*) AS length FROM total GROUP BY s ORDER BY s
