-- table p
SELECT row, x, s, d FROM n ORDER BY x, s DESC, d, row
