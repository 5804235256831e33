-- table g
SELECT gk AS g, sum(a) AS s FROM n GROUP BY gk ORDER BY gk
