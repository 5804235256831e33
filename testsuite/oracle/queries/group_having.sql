-- table keep
SELECT k, count(*) AS c, sum(v)::DOUBLE / (SELECT sum(v) FROM n)::DOUBLE AS share
FROM n GROUP BY k HAVING count(*) > 2 ORDER BY k
-- table scalars
SELECT coalesce(sum(v), 0) AS total FROM n
