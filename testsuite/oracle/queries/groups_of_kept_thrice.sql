-- choose least 1 3
-- view event
SELECT *, lag(key) OVER (ORDER BY row) AS earlier FROM n WHERE valid
-- view run
SELECT *, sum((earlier IS NULL OR earlier <> key)::INTEGER) OVER (ORDER BY row) AS g FROM event
-- view inner_group
SELECT g, count(*) AS c, sum(amount) AS s FROM run GROUP BY g
-- view held
SELECT *, lag(c) OVER (ORDER BY g) AS earlier FROM inner_group WHERE c > 1
-- view middle
SELECT *, sum((earlier IS NULL OR earlier <> c)::INTEGER) OVER (ORDER BY g) AS h FROM held
-- view middle_group
SELECT h, first(c ORDER BY g) AS size, count(*) AS m, sum(s) AS total FROM middle GROUP BY h
-- view heavy_group
SELECT middle_group.*, lag(m) OVER (ORDER BY h) AS earlier FROM middle_group, scalars WHERE total >= least
-- view outer_row
SELECT *, sum((earlier IS NULL OR earlier <> m)::INTEGER) OVER (ORDER BY h) AS i FROM heavy_group
-- table heavy
SELECT size AS sizes, m AS counts FROM heavy_group ORDER BY h
-- table i
SELECT first(m ORDER BY h) AS runs, count(*) AS together, sum(total) AS sums FROM outer_row GROUP BY i ORDER BY i
-- table scalars
SELECT (SELECT count(*) FROM heavy_group) AS groups
