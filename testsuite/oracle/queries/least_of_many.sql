-- range c 0 40
-- choose f -Inf -1 0 0.5 3 +Inf NaN
-- range k -50 50
-- fails
SELECT c < 0 FROM scalars
-- table p
SELECT k, s, row FROM n ORDER BY k, row LIMIT (SELECT least(greatest(c, 0), 1000000) FROM scalars)
-- table q
SELECT f, s AS t FROM n ORDER BY f DESC, k, s, row LIMIT 2
-- table last
SELECT k AS greatest FROM n ORDER BY k DESC, row LIMIT 1
