-- table n
SELECT a::BIGINT // b AS first, a::BIGINT % c AS second FROM n ORDER BY row
