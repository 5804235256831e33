-- view y
SELECT x, row_number() OVER (ORDER BY row) - 1 AS place FROM n WHERE x > 0
-- table y
SELECT x AS y, place * 2 AS twice, place * 2 + 1 AS odd FROM y ORDER BY place
