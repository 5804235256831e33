-- range price -99999999 99999999
-- range discount -100 100
-- range quantity -99999 99999
-- range rate -20000 20000
-- view made
SELECT *, price * (1 - discount) AS net, price * (1 - discount) * rate AS gross, price > 12.5 AND price <> 99.99 AS big
FROM n, scalars
-- table n
SELECT net, gross, price * quantity AS total, -2 * price AS back, price * 1.5 AS more, price - 0.05 AS less, abs(-price) AS size, big,
	least(price, 10.00) AS capped, CASE WHEN big THEN price ELSE 0.00 END AS chosen, price - coalesce(lag(price) OVER (ORDER BY row), 0) AS step,
	sum(net) OVER (ORDER BY row) AS running,
	coalesce(min(price) OVER (ORDER BY row ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 92233720368547758.07::DECIMAL(38, 2)) AS low,
	(SELECT sum(gross) FROM made) AS sum, quantity AS cents, quantity * 0.01 AS from_cents
FROM made ORDER BY row
