-- view ranked
SELECT *, row_number() OVER (PARTITION BY k ORDER BY x, row) AS up, row_number() OVER (PARTITION BY k ORDER BY x DESC, row) AS down
FROM n
-- table g
SELECT k AS key, any_value(row) FILTER (up = 1) AS low, any_value(name) FILTER (up = 1) AS lowest,
	any_value(name) FILTER (down = 1) AS highest
FROM ranked GROUP BY k ORDER BY k
-- table scalars
SELECT (SELECT row FROM n ORDER BY x, row LIMIT 1) AS worst, (SELECT row FROM n ORDER BY x DESC, row LIMIT 1) AS best
