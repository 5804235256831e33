-- range price -9999999 9999999
-- range tax -9999999 9999999
-- range shop -3 9
-- table s
SELECT shop, sum(price) AS total, sum(price * 100)::HUGEINT::DOUBLE / count(*) / 100 AS mean, min(price) AS least, max(price) AS most
FROM n GROUP BY shop ORDER BY shop
-- table p
SELECT price, count(*) AS rows, sum(price * price) AS area FROM n GROUP BY price ORDER BY price
-- table n
SELECT coalesce((SELECT min(m.row) FROM m WHERE m.tax = n.price), -1) AS found FROM n ORDER BY row
-- table o
SELECT price AS top FROM n ORDER BY price DESC, row LIMIT 4
-- table j
SELECT n.price AS paid, m.name FROM n JOIN m ON n.price = m.tax ORDER BY n.row, m.row
-- table b
SELECT coalesce(sum(price * 100)::HUGEINT::DOUBLE / count(price) / 100, -0.5::DOUBLE) AS of_bin, coalesce(arg_max(price, n.row), 99.99) AS last
FROM range(4) t(i) LEFT JOIN n ON (n.shop & 3) = t.i GROUP BY t.i ORDER BY t.i
-- table scalars
SELECT coalesce(sum(price * 100)::HUGEINT::DOUBLE / count(*) / 100, 0) AS "all",
	coalesce(sum(price * 100) FILTER (price < 0)::HUGEINT::DOUBLE / count(*) FILTER (price < 0) / 100, 1.25) AS none,
	coalesce(sum(price) FILTER (price < 0), 0) AS lows, (SELECT min(row) FROM n WHERE price = (SELECT max(price) FROM n)) AS at
FROM n
