-- range x -2 2
-- choose f 0.5 1 2
-- rows 60
-- view heads
SELECT *, k IS DISTINCT FROM lag(k) OVER (ORDER BY row) AS head, x > 1 AS large FROM n
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g, k & 3 AS b FROM heads
-- table g
SELECT first(k) AS key, product(f) AS run_product, bool_or(m) AS run_any, bool_and(m) AS run_all FROM run GROUP BY g ORDER BY g
-- table b
SELECT coalesce(product(x), 1)::HUGEINT AS bin_product, coalesce(bool_or(m), false) AS bin_any, coalesce(bool_and(m), true) AS bin_all
FROM range(4) AS bins(bin) LEFT JOIN run ON b = bin GROUP BY bin ORDER BY bin
-- table scalars
SELECT coalesce(product(x), 1)::HUGEINT AS product, coalesce(bool_or(x > 1), false) AS any, coalesce(bool_and(x > 1), true) AS all FROM n
