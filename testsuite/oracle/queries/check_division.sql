-- fails
SELECT count(*) > 0 FROM n WHERE b = 0
-- table n
SELECT a::BIGINT // b AS ratio, a % 7 AS rest FROM n ORDER BY row
