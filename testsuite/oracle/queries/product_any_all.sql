-- range x -2 2
-- range u 0 2
-- choose f 0.5 1 2
-- rows 60
-- view parts
SELECT *, k IS DISTINCT FROM lag(k) OVER (ORDER BY row) AS head, m OR row = 0 AS begun, x > 1 AS large FROM n
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g, sum(begun::INTEGER) OVER (ORDER BY row) AS s, k & 3 AS b FROM parts
-- view changes
SELECT *, k IS DISTINCT FROM lag(k) OVER (ORDER BY row) AS other FROM parts WHERE large
-- view kept
SELECT *, sum(other::INTEGER) OVER (ORDER BY row) AS h FROM changes
-- table g
SELECT first(k) AS key, product(x)::HUGEINT AS product, product(f) AS floats, bool_or(large) AS any, bool_and(large) AS all
FROM run GROUP BY g ORDER BY g
-- table s
SELECT product(u)::HUGEINT AS start_product, bool_or(large) AS start_any, bool_and(large) AS start_all FROM run GROUP BY s ORDER BY s
-- table b
SELECT coalesce(product(x), 1)::HUGEINT AS bin_product, coalesce(product(f), 1) AS bin_floats, coalesce(bool_or(large), false) AS bin_any,
	coalesce(bool_and(large), true) AS bin_all
FROM range(4) AS bins(bin) LEFT JOIN run ON b = bin GROUP BY bin ORDER BY bin
-- table kept
SELECT product(x)::HUGEINT AS kept, bool_and(m) AS kept_all FROM kept GROUP BY h ORDER BY h
-- table n
SELECT (product(x) OVER (PARTITION BY g ORDER BY row))::HUGEINT AS running FROM run ORDER BY row
-- table scalars
SELECT coalesce(product(u), 1)::HUGEINT AS whole, 1 AS none, coalesce(bool_or(x > 1), false) AS whole_any,
	coalesce(bool_and(x > 1), true) AS whole_all, false AS none_any, true AS none_all FROM n
