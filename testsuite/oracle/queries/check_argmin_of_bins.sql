-- range k 0 4
-- choose x -Inf -1 0 0.5 3 +Inf NaN
-- fails
SELECT count(*) > 0 FROM n WHERE k NOT BETWEEN 0 AND 4
-- view ranked
SELECT *, row_number() OVER (PARTITION BY k ORDER BY NOT isnan(x), x, NOT signbit(x), row) AS up FROM n
-- table b
SELECT any_value(row) FILTER (up = 1) AS low, any_value(x) FILTER (up = 1) AS least, count(row) AS rows
FROM range(5) AS b(b) LEFT JOIN ranked ON k = b GROUP BY b ORDER BY b
