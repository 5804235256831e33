-- range k -1 20
-- fails
SELECT k < 0 FROM scalars
-- table p
SELECT x, row FROM n ORDER BY x, row LIMIT (SELECT greatest(k, 0) FROM scalars)
-- table q
SELECT y, row AS row_of_y FROM n ORDER BY y, row LIMIT (SELECT greatest(k, 0) FROM scalars)
