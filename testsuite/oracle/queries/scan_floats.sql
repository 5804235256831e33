-- rows 100
-- choose x -1 1 2 0.5
-- table n
SELECT sum(x) OVER w AS total, product(x) OVER w AS product, min(x) OVER w AS low,
	coalesce(max(y) OVER (ORDER BY row ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), '-inf')::FLOAT AS high,
	(sum(y) OVER w)::FLOAT AS half
FROM n WINDOW w AS (ORDER BY row) ORDER BY row
