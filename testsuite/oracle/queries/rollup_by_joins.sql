-- table g
SELECT par1 AS t1, par2 AS t2, sum(value * wt1 * wt2) AS total
FROM n JOIN h1 ON d1 = base1 JOIN h2 ON d2 = base2 GROUP BY par1, par2 ORDER BY par1, par2
