-- choose x -Inf -1 0 0.5 3 +Inf NaN
-- view binned
SELECT *, b & 3 AS bin FROM n
-- view ranked
SELECT *, row_number() OVER (PARTITION BY bin ORDER BY NOT isnan(x), x, NOT signbit(x), row) AS up_x,
	row_number() OVER (PARTITION BY bin ORDER BY x DESC, signbit(x), row) AS down_x,
	row_number() OVER (PARTITION BY bin ORDER BY y, row) AS up_y, row_number() OVER (PARTITION BY bin ORDER BY name DESC, row) AS down_name
FROM binned
-- view kept
SELECT name, y, b & 1 AS bin, row_number() OVER (ORDER BY row) - 1 AS place FROM n WHERE y < 100
-- view kept_ranked
SELECT *, row_number() OVER (PARTITION BY bin ORDER BY y, place) AS up, row_number() OVER (PARTITION BY bin ORDER BY y DESC, place) AS down FROM kept
-- table g
SELECT any_value(row) FILTER (up_x = 1) AS low, any_value(row) FILTER (down_x = 1) AS high, any_value(x) FILTER (up_x = 1) AS least,
	any_value(name) FILTER (up_x = 1) AS lowest, any_value(row) FILTER (up_y = 1) AS first, any_value(name) FILTER (down_name = 1) AS last,
	avg(y) AS mean
FROM range(4) AS g(g) LEFT JOIN ranked ON bin = g GROUP BY g ORDER BY g
-- table h
SELECT any_value(place) FILTER (up = 1) AS few, any_value(name) FILTER (down = 1) AS many
FROM range(2) AS h(h) LEFT JOIN kept_ranked ON bin = h GROUP BY h ORDER BY h
