-- table p
SELECT k, a, b, c, d, e, f, g, a + 1 AS a1, a + 2 AS a2, a + 3 AS a3, a + 4 AS a4, a + 5 AS a5, a + 6 AS a6,
	sum(a) OVER (ORDER BY k, row ROWS UNBOUNDED PRECEDING)::BIGINT AS total FROM n ORDER BY k, row
-- table q
SELECT k AS kq, b AS bq FROM n ORDER BY a DESC, row LIMIT 5
