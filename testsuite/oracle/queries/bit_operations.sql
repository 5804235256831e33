-- table n
SELECT x & y AS and, x | y AS or, xor(x, y) AS xor, x & ~y AS andnot, ~x AS not,
	x::UBIGINT << 5 AS left, x >> 31 AS right, x::UBIGINT << 1 AS wide,
	floor(s / 16)::INTEGER AS sign, k >> (k & 7) AS small, (x >> 8) & 255 AS field
FROM n ORDER BY row
