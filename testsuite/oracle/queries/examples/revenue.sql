-- table scalars
SELECT coalesce(sum(l_extendedprice * l_discount) FILTER (l_shipdate >= "from" AND l_shipdate < "to" AND l_discount BETWEEN low AND high AND l_quantity < most), 0) AS revenue,
	coalesce(sum(l_extendedprice * (1 - l_discount)), 0) AS price, coalesce(sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)), 0) AS charge
FROM n, scalars
