-- table n
SELECT x - y AS difference, x / y AS quotient, x * y - x AS fused, sqrt(x * x + y * y) AS root, -x AS negative,
	x <> y OR isnan(x) OR isnan(y) AS differ
FROM n ORDER BY row
