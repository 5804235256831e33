-- range off1 0 4
-- range off2 0 4
-- view pair
SELECT value, off1 + i AS p1, off2 + j AS p2
FROM n JOIN b1 ON b1.row = d1 JOIN b2 ON b2.row = d2, range(cnt1) AS r1(i), range(cnt2) AS r2(j)
-- fails
SELECT (SELECT count(*) > 0 FROM pair WHERE p1 NOT IN (SELECT row FROM h1) OR p2 NOT IN (SELECT row FROM h2))
	OR (SELECT count(*) > 0 FROM n WHERE d1 NOT IN (SELECT row FROM b1) OR d2 NOT IN (SELECT row FROM b2))
	OR (SELECT count(*) > 0 FROM n JOIN b1 ON b1.row = d1 JOIN b2 ON b2.row = d2 WHERE cnt1 * cnt2 < 0)
-- table g
SELECT par1 AS t1, par2 AS t2, sum(value * wt1 * wt2) AS total
FROM pair JOIN h1 ON h1.row = p1 JOIN h2 ON h2.row = p2 GROUP BY par1, par2 ORDER BY par1, par2
