-- rows 100
-- choose x -1 1 2
-- table n
SELECT (product(x) OVER w)::HUGEINT AS mul, min(x) OVER w AS min, max(x) OVER w AS max,
	bit_and(bits) OVER w AS and, bit_or(bits) OVER w AS or, bit_xor(bits) OVER w AS xor,
	coalesce(sum(x) OVER before, 0) AS before_add, coalesce(product(x) OVER before, 1)::HUGEINT AS before_mul,
	coalesce(min(x) OVER before, 2147483647) AS before_min, coalesce(max(x) OVER before, -2147483648) AS before_max,
	coalesce(bit_and(bits) OVER before, 255) AS before_and, coalesce(bit_or(bits) OVER before, 0) AS before_or,
	coalesce(bit_xor(bits) OVER before, 0) AS before_xor
FROM n WINDOW w AS (ORDER BY row), before AS (ORDER BY row ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) ORDER BY row
