-- choose seg BUILDING HOUSE
-- choose odate 1995-03-14 1995-03-15 1995-03-01 1995-02-01
-- choose ship 1995-03-15 1995-03-16 1995-04-01
-- choose price 901 1000.5 104949.5
-- choose disc 0 0.25 0.5
-- table p
SELECT lkey AS okey, sum(price * (1 - disc)) AS revenue, odate, prio
FROM l JOIN o ON lkey = okey
WHERE odate < DATE '1995-03-15' AND ship > DATE '1995-03-15' AND ocust IN (SELECT ckey FROM c WHERE seg = 'BUILDING')
GROUP BY lkey, odate, prio ORDER BY revenue DESC, odate, lkey, prio LIMIT 10
