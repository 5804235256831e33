-- view few
SELECT b, d FROM n WHERE a > 0 AND b <> c
-- table kinds
SELECT count(d) AS kinds FROM range(8) AS b(bin) LEFT JOIN few ON (d & 7) = bin GROUP BY bin ORDER BY bin
-- table scalars
SELECT (SELECT coalesce(sum(d), 0) FROM few) AS total, (SELECT coalesce(sum(b), 0) FROM n WHERE a > 0) AS "all", (SELECT coalesce(sum(d), 0) FROM n WHERE a > 0 AND c < 6) AS smalls, (SELECT coalesce(sum(b), 0) FROM few WHERE (d & 1) = 1) AS odds
