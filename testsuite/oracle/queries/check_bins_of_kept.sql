-- fails
SELECT count(*) > 0 FROM n WHERE flag > 0 AND other > 0 AND i NOT BETWEEN 0 AND 3
-- table h
SELECT count(i) AS h, coalesce(sum(i), 0) AS total FROM range(4) AS b(bin) LEFT JOIN (SELECT i FROM n WHERE flag > 0 AND other > 0) ON i = bin GROUP BY bin ORDER BY bin
