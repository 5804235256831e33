-- view head
SELECT *, k IS DISTINCT FROM lag(k) OVER (ORDER BY row) AS head FROM n
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g FROM head
-- view length
SELECT count(*) AS length FROM run GROUP BY g
-- table runs
SELECT count(length) AS runs
FROM range(8) AS b(bin) LEFT JOIN length ON least(length, 8) - 1 = bin
GROUP BY bin ORDER BY bin
-- table scalars
SELECT coalesce(max(length), 0) AS longest, coalesce(avg(length), 0) AS mean FROM length
