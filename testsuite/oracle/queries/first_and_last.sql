-- table inner
SELECT x AS inner FROM n WHERE row > 0 AND row < (SELECT count(*) FROM n) - 1 ORDER BY row
-- table scalars
SELECT arg_min(x, row) AS first, arg_max(x, row) AS last, arg_max(x, row) AS same FROM n
