-- choose least 1 3
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g FROM (SELECT *, key IS DISTINCT FROM lag(key) OVER (ORDER BY row) AS head FROM n)
-- view total
SELECT g, first(key ORDER BY row) AS key, arg_max(x, row) AS last, count(*) AS count, sum(x) AS total FROM run GROUP BY g
-- view held
SELECT total.* FROM total, scalars WHERE count >= least
-- table kept
SELECT key, last, total, sum(total) OVER (ORDER BY g) AS so_far FROM held ORDER BY g
-- table large
SELECT total AS large FROM held WHERE total > 40 ORDER BY g
-- table scalars
SELECT coalesce((SELECT max(total) FROM total), 0) AS largest, (SELECT count(*) FROM held) AS rows, coalesce((SELECT sum(x) FROM n WHERE x > 20), 0) AS gained
