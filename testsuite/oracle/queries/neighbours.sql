-- table n
SELECT x AS p0, lag(x, 1, -1) OVER w AS p1, lag(x, 7, -1) OVER w AS p7,
	x AS n0, lead(x, 1, -2) OVER w AS n1, lead(x, 7, -2) OVER w AS n7
FROM n WINDOW w AS (ORDER BY row) ORDER BY row
