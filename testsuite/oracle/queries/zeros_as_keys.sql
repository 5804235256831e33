-- view heads
SELECT *, k IS DISTINCT FROM lag(k) OVER w AS a, single IS DISTINCT FROM lag(single) OVER w AS b, max(k) OVER w AS most
FROM n WINDOW w AS (ORDER BY row)
-- view run
SELECT *, sum(a::INTEGER) OVER w AS g, sum((a OR b)::INTEGER) OVER w AS h, sum(b::INTEGER) OVER w AS i FROM heads WINDOW w AS (ORDER BY row)
-- view changes
SELECT *, k IS DISTINCT FROM lag(k) OVER (ORDER BY row) AS head FROM n WHERE k >= 0 AND NOT isnan(k)
-- view filtered
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS f FROM changes
-- table g
SELECT arg_min(k, row) AS first, arg_max(k, row) AS last, min(k) AS low, max(k) AS high FROM run GROUP BY g ORDER BY g
-- table h
SELECT arg_max(single, row) AS last_single, arg_max(k, row) AS last_other FROM run GROUP BY h ORDER BY h
-- table w
SELECT arg_max(single, row)::DOUBLE AS last_wide FROM run GROUP BY i ORDER BY i
-- table m
SELECT most AS first_most, most AS last_most FROM run GROUP BY most ORDER BY most
-- table f
SELECT arg_min(k, row) AS first_filtered, arg_max(k, row) AS last_filtered FROM filtered GROUP BY f ORDER BY f
