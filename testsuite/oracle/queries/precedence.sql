-- range a -1000 1000
-- range b -1000 1000
-- range c -1000 1000
-- table n
SELECT xor((a + b * c * 2) | (c & 3), a) AS x, (a + b) * (c + a) AS y, (a < b AND b < c) OR (a <> c AND c & 1 = 1) AS m,
	(a < c OR b < c + 1) AND (a > b OR b <> 3) AS o
FROM n ORDER BY row
