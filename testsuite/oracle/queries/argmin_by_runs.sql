-- choose x -Inf -1 0 0.5 3 +Inf NaN
-- view head
SELECT *, k IS DISTINCT FROM lag(k) OVER (ORDER BY row) AS heads_k, row = 0 OR new AS heads_s FROM n
-- view run
SELECT *, sum(heads_k::INTEGER) OVER (ORDER BY row) AS g, sum(heads_s::INTEGER) OVER (ORDER BY row) AS s FROM head
-- view ranked
SELECT *, row_number() OVER (PARTITION BY g ORDER BY NOT isnan(x), x, NOT signbit(x), row) AS up_g,
	row_number() OVER (PARTITION BY g ORDER BY x DESC, signbit(x), row) AS down_g,
	row_number() OVER (PARTITION BY s ORDER BY y DESC, row) AS down_s
FROM run
-- view kept
SELECT k, y, row_number() OVER (ORDER BY row) - 1 AS place FROM n WHERE y > 1
-- view kept_head
SELECT *, k IS DISTINCT FROM lag(k) OVER (ORDER BY place) AS head FROM kept
-- view kept_run
SELECT *, sum(head::INTEGER) OVER (ORDER BY place) AS h FROM kept_head
-- view kept_ranked
SELECT *, row_number() OVER (PARTITION BY h ORDER BY y, place) AS up FROM kept_run
-- table g
SELECT any_value(k) AS k, any_value(row) FILTER (up_g = 1) AS low, any_value(row) FILTER (down_g = 1) AS high,
	any_value(x) FILTER (up_g = 1) AS least, min(row) AS any
FROM ranked GROUP BY g ORDER BY g
-- table n
SELECT x - first_value(x) OVER (PARTITION BY g ORDER BY up_g) AS after FROM ranked ORDER BY row
-- table s
SELECT any_value(row) FILTER (down_s = 1) AS part, any_value(y) FILTER (down_s = 1) AS top FROM ranked GROUP BY s ORDER BY s
-- table h
SELECT any_value(place) FILTER (up = 1) AS few, any_value(k) FILTER (up = 1) AS name FROM kept_ranked GROUP BY h ORDER BY h
