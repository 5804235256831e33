-- range k 0 6
-- range d -1000000000000 1000000000000
-- range g 0 1000000000000
-- choose x -1.5 0.5 2
-- choose y -1.5 0.5 2
-- view b
SELECT * FROM range(7) AS b(bin) LEFT JOIN n ON k = bin
-- fails
SELECT count(*) > 0 FROM n WHERE k > 6
-- table b
SELECT count(k) AS count, coalesce(sum(d), 0) AS sum, coalesce(sum(g), 0) AS sumu, coalesce(product(a % 2), 1)::HUGEINT AS product,
	coalesce(bool_or(s > 0), false) AS any, coalesce(bool_and(s > 0), true) AS all, coalesce(min(a), 1) AS low8,
	coalesce(max(s), 1) AS high16, coalesce(max(f), 1) AS high32, coalesce(max(d), 1) AS high64, coalesce(min(x), 1) AS low,
	coalesce(max(y), 1) AS high, coalesce(max(name), 'none') AS name
FROM b GROUP BY bin ORDER BY bin
