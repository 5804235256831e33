-- table g
SELECT k AS key, count(*) AS rows FROM n GROUP BY k ORDER BY k
-- table h
SELECT k AS both, b AS flag FROM n GROUP BY b, k ORDER BY b, k
-- table n
SELECT count(*) OVER (PARTITION BY k) AS size FROM n ORDER BY row
