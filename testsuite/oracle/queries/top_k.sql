-- range k -1 20
-- fails
SELECT k < 0 FROM scalars
-- table p
SELECT id, score FROM n ORDER BY score DESC, id, row LIMIT (SELECT least(greatest(k, 0), 1000000) FROM scalars)
