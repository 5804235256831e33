-- view hit
SELECT n.row, x, x::DOUBLE * scale AS scaled, (x >= low AND x < high AND day >= "from" AND code = name) <> invert AS hit FROM n, scalars
-- table hit
SELECT x, scaled FROM hit WHERE hit ORDER BY row
-- table scalars
SELECT step::INTEGER + 1 AS step, (SELECT count(*) FROM n WHERE day >= "from" + 365) AS late FROM scalars
