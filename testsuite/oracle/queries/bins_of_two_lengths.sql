-- range k 0 20999
-- fails
SELECT count(*) > 0 FROM n WHERE k NOT BETWEEN 0 AND 20999
-- table n
SELECT sum(x) OVER (PARTITION BY k) AS total, CAST(sum(k::BIGINT * x) OVER (PARTITION BY k) AS BIGINT) AS product FROM n ORDER BY row
