-- range b 0 12
-- range k 0 8
-- view few
SELECT a, c, d, (SELECT arg_min(m.v, m.row) FROM m WHERE m.k = n.b) AS v FROM n WHERE a > 0 AND b IN (SELECT k FROM m) AND c <> a
-- table kinds
SELECT count(d) AS kinds FROM range(8) AS t(bin) LEFT JOIN few ON (v & 7) = bin GROUP BY bin ORDER BY bin
-- table scalars
SELECT (SELECT coalesce(sum(v::BIGINT + d), 0) FROM few) AS total, (SELECT coalesce(sum(b), 0) FROM n WHERE a > 0) AS "all", (SELECT coalesce(sum(c::BIGINT + a), 0) FROM few WHERE (d & 1) = 1) AS odds
