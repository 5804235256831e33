-- range x 900 1100
-- view y
SELECT x, row_number() OVER (ORDER BY row) - 1 AS place FROM n WHERE x > 1000
-- table scalars
SELECT (SELECT place FROM y ORDER BY x DESC, place LIMIT 1) AS row, (SELECT count(*) FROM n) AS rows
