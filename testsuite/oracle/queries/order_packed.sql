-- table few
SELECT row FROM n ORDER BY a, b, row
-- table most
SELECT row FROM n ORDER BY c, b DESC, s, row
-- table text
SELECT row FROM n ORDER BY s, a DESC, row
