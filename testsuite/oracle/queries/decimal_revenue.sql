-- range l_shipdate 8600 9300
-- range l_quantity 0 5000
-- range l_extendedprice 0 10000000
-- range l_discount 0 12
-- range l_tax 0 10
-- range from 8600 8900
-- range to 8900 9300
-- range low 0 8
-- range high 4 12
-- range most 0 40
-- table scalars
SELECT coalesce(sum(l_extendedprice * l_discount) FILTER (l_shipdate >= "from" AND l_shipdate < "to" AND l_discount BETWEEN low AND high AND l_quantity < most), 0) AS revenue,
	coalesce(sum(l_extendedprice * (1 - l_discount)), 0) AS price, coalesce(sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)), 0) AS charge,
	coalesce(sum(l_quantity * 100)::HUGEINT::DOUBLE / count(*) / 100, 0) AS quantity
FROM n, scalars
