-- range x 0 150
-- table scalars
SELECT max(x) FILTER (x > 100) AS high, coalesce(min(x), 0) AS low FROM n
