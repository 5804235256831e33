-- view found
SELECT n.row, min(m.row) AS f FROM n LEFT JOIN m ON a = d AND b = e GROUP BY n.row
-- view threes
SELECT n.row, min(m.row) AS t FROM n LEFT JOIN m ON c = g AND a = d GROUP BY n.row
-- view others
SELECT n.row, min(m.row) AS o FROM n LEFT JOIN m ON b = e AND c = g GROUP BY n.row
-- table n
SELECT coalesce(f, -1) AS row, coalesce(t, -1) AS three FROM found JOIN threes ON found.row = threes.row ORDER BY found.row
-- table hit
SELECT v FROM found JOIN m ON m.row = f ORDER BY found.row
-- table scalars
SELECT (SELECT coalesce(sum(v), 0) FROM found JOIN m ON m.row = f) AS turned, (SELECT count(o) FROM others) AS found
