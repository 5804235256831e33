-- rows 60
-- table g
SELECT arg_min(k, row) AS first, arg_max(k, row) AS last, min(k) AS low FROM n GROUP BY k ORDER BY k
-- table o
SELECT k AS ordered FROM n ORDER BY k, row
-- table hit
SELECT k AS found FROM n WHERE k IN (SELECT x FROM m) ORDER BY row
-- table j
SELECT k AS left, x AS right FROM n JOIN m ON k = x ORDER BY n.row, m.row
