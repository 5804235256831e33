-- table p
SELECT k, c, c::BIGINT AS wide FROM n ORDER BY k DESC, row
-- table q
SELECT a FROM n ORDER BY a DESC, row
-- table r
SELECT a AS ra, b AS rb FROM n ORDER BY c & 15, row
-- table s
SELECT row, c AS sc, d AS sd, b AS sb FROM n ORDER BY c, d DESC, row
-- table t
SELECT row AS place, d AS td, c AS tc FROM n ORDER BY d, row
-- table u
SELECT a AS ua, b AS ub FROM n ORDER BY c & 1023, row
-- table v
SELECT c AS vc, k & 3 AS vl, k AS vk FROM n ORDER BY c, k & 3, row
