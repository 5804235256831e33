-- table p
SELECT a AS ap, b AS bp, c AS cp FROM n ORDER BY k, row
-- table q
SELECT a AS aq, c AS cq, k AS kq FROM n ORDER BY l DESC, k, row
