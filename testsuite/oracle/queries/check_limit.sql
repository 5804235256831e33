-- range rows -3 20
-- fails
SELECT rows < 0 FROM scalars
-- table x
SELECT x FROM n ORDER BY x, row LIMIT (SELECT least(greatest(rows, 0), 1000000) FROM scalars)
