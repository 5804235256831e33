-- choose x 0 1 2.5 7
-- fails
SELECT count(*) > 0 FROM n WHERE k NOT BETWEEN 0 AND 3
-- table b
SELECT avg(x) AS mean, count(x) AS rows FROM range(4) AS b(bin) LEFT JOIN n ON k = bin GROUP BY bin ORDER BY bin
