-- view shifted
SELECT *, CASE WHEN (k & 4095) < 2048 THEN (k & 4095) ELSE (k & 4095) - 4096 END AS high, x & 134217727 AS low FROM n
-- table p
SELECT k AS key, row FROM shifted ORDER BY high, row
-- table q
SELECT x AS wide, b AS flag FROM shifted ORDER BY low DESC, b, row
-- table none
SELECT row AS none FROM n ORDER BY row
