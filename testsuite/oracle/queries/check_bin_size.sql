-- range i 0 7
-- range size -2 12
-- fails
SELECT count(*) FILTER (i < 0 OR i >= size) > 0 OR (SELECT size < 0 FROM scalars) FROM n, scalars
-- table h
SELECT count(i) AS h FROM (SELECT unnest(range(size)) AS bin FROM scalars) LEFT JOIN n ON i = bin GROUP BY bin ORDER BY bin
