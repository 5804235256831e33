-- view head
SELECT *, b IS DISTINCT FROM lag(b) OVER (ORDER BY row) AS head FROM m
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g FROM head
-- table n
SELECT a::BIGINT * 2 AS double FROM n ORDER BY row
-- table kept
SELECT a AS kept FROM n WHERE a > 0 ORDER BY row
-- table g
SELECT sum(b) AS total FROM run GROUP BY g ORDER BY g
-- table scalars
SELECT count(*) AS rows, (SELECT count(*) FROM m) AS others, coalesce(sum(a), 0) // greatest(count(*), 1) AS mean FROM n
