-- table n
SELECT (x * c2 + c1) * x + c0 AS y, 2 * c2 * x + c1 AS slope FROM n, scalars ORDER BY n.row
