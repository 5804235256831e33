-- table positive
SELECT x AS positive FROM n WHERE x > 0 ORDER BY row
-- table small
SELECT x AS small FROM n WHERE x > 0 AND x < 100 ORDER BY row
-- table even
SELECT x AS even FROM n WHERE x > 0 AND x < 100 AND x % 2 = 0 ORDER BY row
