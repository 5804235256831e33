-- choose shipdate 1993-12-31 1994-01-01 1994-12-31 1995-01-01
-- choose discount 0.04 0.05 0.06 0.07 0.08
-- choose quantity 1 23 24 25
-- choose price 901 1000.5 104949.5
-- table scalars
SELECT coalesce(sum(price * discount), 0) AS revenue FROM n
WHERE shipdate >= DATE '1994-01-01' AND shipdate < DATE '1995-01-01' AND discount BETWEEN 0.05 AND 0.07 AND quantity < 24
