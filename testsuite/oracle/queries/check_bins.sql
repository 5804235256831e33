-- fails
SELECT count(*) > 0 FROM n WHERE i NOT BETWEEN 0 AND 3
-- table h
SELECT count(i) AS h FROM range(4) AS b(bin) LEFT JOIN n ON i = bin GROUP BY bin ORDER BY bin
