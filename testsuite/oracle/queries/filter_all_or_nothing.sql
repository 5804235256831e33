-- table all
SELECT x AS all FROM n ORDER BY row
-- table none
SELECT x AS none FROM n WHERE x <> x ORDER BY row
-- table some
SELECT x AS some FROM n, scalars WHERE x >= threshold ORDER BY n.row
-- table scalars
SELECT count(*) AS passed, count(*) FILTER (x <> x) AS refused FROM n
