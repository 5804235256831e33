-- view near
SELECT *, greatest(least(k, 10), -5) AS near, j % 3 AS rest, v > 0 AS positive FROM n
-- table g
SELECT near, rest, sum(v) AS v, count(*) AS n FROM near GROUP BY near, rest ORDER BY near, rest
-- table h
SELECT near AS near_h, positive, min(k) AS least, max(v) AS most FROM near GROUP BY near, positive, rest ORDER BY near, positive, rest
