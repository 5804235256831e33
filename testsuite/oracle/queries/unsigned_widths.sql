-- table n
SELECT a::INTEGER + 200 AS a, b::INTEGER * 257 AS b, c::BIGINT - 1 AS c, d::UHUGEINT * d AS d, c % 7 AS rest, b // 2 AS halves
FROM n ORDER BY row
-- table scalars
SELECT coalesce(sum(a), 0) AS sa, coalesce(sum(b), 0) AS sb, coalesce(sum(c), 0) AS sc, coalesce(sum(d), 0) AS sd,
	coalesce(avg(a), 0) AS ma, coalesce(min(d), 0) AS low
FROM n
