-- range unique1 900 6100
-- range two 0 1
-- table keep
SELECT unique1, unique2, two FROM n WHERE unique1 > 1000 AND unique1 < 6000 AND unique2 % 2 = 0 AND two = 0 ORDER BY row
