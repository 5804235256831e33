-- choose flag A N R
-- choose status F O
-- choose qty 1 2 17 50
-- choose price 901 1000.5 104949.5
-- choose disc 0 0.01 0.05 0.1
-- choose tax 0 0.02 0.08
-- choose ship 1998-09-01 1998-09-02 1998-09-03 1992-01-02
-- table g
SELECT flag, status, sum(qty) AS sq, sum(price) AS sp, sum(price * (1 - disc)) AS sd, sum(price * (1 - disc) * (1 + tax)) AS sc,
	avg(qty) AS aq, avg(disc) AS ad, count(*) AS n
FROM n WHERE ship <= DATE '1998-09-02' GROUP BY flag, status ORDER BY flag, status
