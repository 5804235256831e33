-- table p
SELECT k, v FROM n ORDER BY k & 4095, row
-- table q
SELECT k AS kq, v AS vq FROM n ORDER BY xor(v, k) >> 18, (v & 3) DESC, row
-- table r
SELECT v AS alone FROM n ORDER BY v & 1023, row
