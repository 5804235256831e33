-- range a 0 80
-- range k 0 80
-- range b 0 20
-- range e 0 20
-- view sold
SELECT b, c, (SELECT arg_min(m.v, m.row) FROM m WHERE m.k = n.a AND m.v <> 7) AS place FROM n WHERE a IN (SELECT k FROM m WHERE v <> 7)
-- view bought
SELECT place, (SELECT arg_min(p.w, p.row) FROM p WHERE p.e = sold.b) AS w FROM sold WHERE c > 0 AND b IN (SELECT e FROM p)
-- table kinds
SELECT count(place) AS kinds FROM range(8) AS t(bin) LEFT JOIN bought ON (place & 7) = bin GROUP BY bin ORDER BY bin
-- table scalars
SELECT (SELECT coalesce(sum(place::BIGINT * 2 + w), 0) FROM bought) AS total, (SELECT count(*) FROM n WHERE a NOT IN (SELECT k FROM m WHERE v <> 7)) AS unsold
