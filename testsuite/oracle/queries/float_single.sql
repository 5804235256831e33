-- table n
SELECT x + y AS sum, x * y AS product, x / y AS quotient, CASE WHEN x < 0 THEN 'NaN' ELSE sqrt(x) END::FLOAT AS root,
	abs(y) AS magnitude, x * y + x AS fused, x < y AND NOT isnan(y) AS less, x = y AND NOT isnan(x) AS same
FROM n ORDER BY row
