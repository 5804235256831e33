-- view head
SELECT *, x IS DISTINCT FROM lag(x) OVER (ORDER BY row) AS head FROM n
-- table n
SELECT sum(x) OVER (ORDER BY row) AS prefix FROM n ORDER BY row
-- table g
SELECT x AS key FROM head WHERE head ORDER BY row
-- table kept
SELECT x AS kept FROM n WHERE x > 0 ORDER BY row
-- table scalars
SELECT coalesce(sum(x), 0) AS sum, count(*) AS count, coalesce(min(x), 7) AS min FROM n
