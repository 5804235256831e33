-- table h
SELECT count(x) AS h FROM range(256) AS b(bin) LEFT JOIN n ON x = bin GROUP BY bin ORDER BY bin
