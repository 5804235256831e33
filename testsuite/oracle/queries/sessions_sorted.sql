-- choose ts 0 1000 2000 2801 4600 100000
-- view head
SELECT *, lag(ts) OVER (PARTITION BY "user" ORDER BY ts, row) IS NULL OR ts - lag(ts) OVER (PARTITION BY "user" ORDER BY ts, row) > 1800 AS head
FROM n
-- view session
SELECT *, sum(head::INTEGER) OVER (PARTITION BY "user" ORDER BY ts, row) AS s FROM head
-- table s
SELECT "user", min(ts) AS "from", max(ts) AS "to", count(*) AS clicks FROM session GROUP BY "user", s ORDER BY "user", s
