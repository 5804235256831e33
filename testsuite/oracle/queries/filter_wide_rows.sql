-- table kept
SELECT key, a, b, c, d, e, f, g, h, x, y, name, place, u, v, w, CAST(a AS BIGINT) * v + c AS made
FROM n WHERE flag AND key % 3 <> 0 ORDER BY row
