-- table n
SELECT a::INTEGER + 100 AS a, b::INTEGER * 3 AS b, -c::BIGINT AS c, d::HUGEINT - 1 AS d, a::INTEGER // -1 AS minus,
	a::INTEGER % -1 AS rest, c // 4 AS trunc, c % 4 AS sign, abs(a::INTEGER) AS size, abs(d::HUGEINT) AS long
FROM n ORDER BY row
-- table scalars
SELECT coalesce(sum(a), 0) AS total, coalesce(sum(b), 0) AS sb FROM n
