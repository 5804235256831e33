-- choose cat MFGR#12 MFGR#13
-- choose region AMERICA ASIA EUROPE
-- choose odate 1992-01-01 1993-12-31 1993-06-01 1997-02-28
-- view part
SELECT pkey, arg_min(brand, row) AS brand FROM p WHERE cat = 'MFGR#12' GROUP BY pkey
-- table g
SELECT sum(rev) AS rev, year(odate) AS year, brand
FROM l JOIN part ON part = pkey WHERE supp IN (SELECT skey FROM s WHERE region = 'AMERICA')
GROUP BY year(odate), brand ORDER BY year(odate), brand
