-- table k
SELECT a::BIGINT // b AS ratio FROM n WHERE k ORDER BY row
