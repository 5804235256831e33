-- view found
SELECT n.row, min(m.row) AS f FROM n LEFT JOIN m ON k = d GROUP BY n.row
-- view floats
SELECT n.row, min(m.row) AS g FROM n LEFT JOIN m ON x = y GROUP BY n.row
-- table n
SELECT coalesce(f, -1) AS row, coalesce(g, -1) AS float FROM found JOIN floats ON found.row = floats.row ORDER BY found.row
-- table hit
SELECT arg_min(v, m.row) AS v FROM n JOIN m ON k = d GROUP BY n.row ORDER BY n.row
-- table scalars
SELECT count(g) AS found FROM floats
