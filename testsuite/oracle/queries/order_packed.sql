-- table few
SELECT row AS few FROM n ORDER BY a, b, row
-- table most
SELECT row AS most FROM n ORDER BY c, b DESC, s, row
-- table text
SELECT row AS text FROM n ORDER BY s, a DESC, row
