-- fails
SELECT count(*) = 0 FROM p
-- table n
SELECT name, amount * price AS cost FROM n LEFT JOIN p ON p.row = product ORDER BY n.row
-- table p
SELECT price - (SELECT price FROM p WHERE row = 0) AS rest FROM p ORDER BY row
-- table scalars
SELECT (SELECT price FROM p WHERE row = 0) AS first
