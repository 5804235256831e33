-- table n
SELECT unique1::BIGINT + unique2 AS summation FROM n ORDER BY row
