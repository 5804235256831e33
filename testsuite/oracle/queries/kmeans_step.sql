-- view distance
SELECT n.row, px, py, k.row AS centre, (px - cx) * (px - cx) + (py - cy) * (py - cy) AS distance FROM n, k
-- view best
SELECT row, px, py, centre FROM distance QUALIFY row_number() OVER (PARTITION BY row ORDER BY distance, centre) = 1
-- fails
SELECT (SELECT count(*) > 0 FROM n) AND (SELECT count(*) = 0 FROM k)
-- table n
SELECT centre AS best FROM best ORDER BY row
-- table k
SELECT coalesce(sum(px), 0) AS x, coalesce(sum(py), 0) AS y, count(px) AS n FROM k LEFT JOIN best ON centre = k.row GROUP BY k.row ORDER BY k.row
