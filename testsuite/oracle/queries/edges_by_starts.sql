-- choose t 0 1 2.5 7
-- view stretch
SELECT *, count(*) FILTER (start OR row = 0) OVER (ORDER BY row) AS g FROM n
-- table g
SELECT arg_min(x, row) AS "from", arg_max(x, row) AS "to", avg(t) AS mean, count(*) AS rows FROM stretch GROUP BY g ORDER BY g
