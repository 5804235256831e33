-- range k 0 41999
-- fails
SELECT count(*) > 0 FROM n WHERE k NOT BETWEEN 0 AND 41999
-- table n
SELECT sum(x) OVER (PARTITION BY k) AS total, count(*) OVER (PARTITION BY k) AS rows FROM n ORDER BY row
