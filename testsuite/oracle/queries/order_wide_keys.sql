-- table whole
SELECT row AS whole FROM n ORDER BY x, row
-- table high
SELECT row AS high FROM n ORDER BY x >> 29 DESC, row
-- table shifted
SELECT row AS shifted FROM n ORDER BY x & 281474976710655, row
-- table few
SELECT row AS few FROM n ORDER BY x & 1048575, row
