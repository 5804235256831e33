-- view distance
SELECT *, abs(x::BIGINT - y) AS distance FROM n
-- table n
SELECT least(greatest(x, low), high) AS clamped, sign(x::BIGINT - y) AS sign, least(distance, 4294967296 - distance) AS distance,
	x::BIGINT // CASE WHEN y = 0 THEN 1 ELSE y END AS safe
FROM distance, scalars ORDER BY distance.row
