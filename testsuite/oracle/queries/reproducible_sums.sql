-- rows 200
-- choose x -1 1 2 0.5
-- choose y 0.25 -3 8
-- view heads
SELECT *, k IS DISTINCT FROM lag(k) OVER (ORDER BY row) AS head FROM n
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g FROM heads
-- table g
SELECT first(k) AS key, sum(x) AS sum, avg(y) AS average FROM run GROUP BY g ORDER BY g
-- table b
SELECT coalesce(sum(y), 0) AS bin, coalesce(avg(x), 7) AS bin_average FROM range(5) AS bin(i) LEFT JOIN n ON k & 3 = i GROUP BY i ORDER BY i
-- table n
SELECT sum(x) OVER (ORDER BY row ROWS UNBOUNDED PRECEDING) AS running,
	coalesce(sum(y) OVER (PARTITION BY g ORDER BY row ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)::FLOAT AS before
FROM run ORDER BY row
-- table scalars
SELECT coalesce(sum(x), 0) AS total, coalesce(avg(y), -1) AS mean FROM n
