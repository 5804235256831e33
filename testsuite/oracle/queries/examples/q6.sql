-- table scalars
SELECT coalesce(sum(l_extendedprice * l_discount), 0) AS revenue FROM n, scalars
WHERE l_shipdate >= "from" AND l_shipdate < "to" AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24
