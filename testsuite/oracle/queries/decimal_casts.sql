-- range x -999999999 999999999
-- range i -99999999 99999999
-- view made
SELECT *, f * 100 AS hundredths, g::DOUBLE * 10 AS tenths FROM n
-- table n
SELECT x::DECIMAL(38, 1) AS tenths, x::DECIMAL(38, 0) AS whole, x AS same, x::DECIMAL(38, 9) AS longer, trunc(x)::HUGEINT AS cut,
	trunc(x)::HUGEINT AS byte, trunc(x)::HUGEINT AS word, x::DOUBLE AS float, x::DOUBLE::FLOAT AS short, (x * 1000)::HUGEINT AS unscaled,
	i::DECIMAL(38, 2) AS of_integer, u::DECIMAL(38, 1) AS of_byte,
	CASE WHEN isnan(hundredths) THEN 0 WHEN hundredths >= 9223372036854775807 THEN 9223372036854775807 WHEN hundredths <= -9223372036854775808 THEN -9223372036854775808
		ELSE round(hundredths)::HUGEINT END::DECIMAL(36, 0) * 0.01 AS of_float,
	CASE WHEN isnan(made.tenths) THEN 0 WHEN made.tenths >= 9223372036854775807 THEN 9223372036854775807 WHEN made.tenths <= -9223372036854775808 THEN -9223372036854775808
		ELSE round(made.tenths)::HUGEINT END::DECIMAL(36, 0) * 0.1 AS of_short,
	m::INTEGER::DECIMAL(38, 1) AS of_bool, x + 0.5::DECIMAL(38, 3) AS of_constant, true AS back
FROM made ORDER BY row
