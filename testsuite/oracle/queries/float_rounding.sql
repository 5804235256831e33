-- table n
SELECT floor(x) AS floor, ceil(x) AS ceil, trunc(x) AS trunc, round_even(x, 0) AS round,
	floor(y) AS floor_f32, ceil(y) AS ceil_f32, trunc(y) AS trunc_f32, round_even(y, 0) AS round_f32,
	x - trunc(x) AS fraction,
	CASE WHEN isnan(x) THEN 0 WHEN x >= 9223372036854775807 THEN 9223372036854775807 WHEN x <= -9223372036854775808 THEN -9223372036854775808
		ELSE round_even(x, 0)::BIGINT END AS nearest
FROM n ORDER BY row
-- table whole
SELECT y AS whole FROM n WHERE NOT isnan(y) AND y = trunc(y) ORDER BY row
