-- range few 7 20
-- range more 5000 6000
-- range k 0 6
-- range d -1000000000 1000000000
-- fails
SELECT (SELECT more < 0 FROM scalars) OR count(*) > 0 FROM n, scalars WHERE k >= few OR c % 2500 + 2500 >= more
-- table f
SELECT count(k) AS count, coalesce(sum(d), 0) AS sum, coalesce(min(c), 0) AS low, coalesce(max(d), 0) AS high
FROM (SELECT unnest(range(few)) AS bin FROM scalars) LEFT JOIN n ON k = bin GROUP BY bin ORDER BY bin
-- table n
SELECT sum(d) OVER (PARTITION BY c % 2500) AS total FROM n ORDER BY row
