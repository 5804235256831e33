-- choose time 0 1000 2000 2801 4600 100000
-- choose pause 1800 0 -5 999
-- view head
SELECT n.row, user, time,
	n.row = 0 OR user <> lag(user) OVER (ORDER BY n.row) OR time - lag(time) OVER (ORDER BY n.row) > pause AS head
FROM n, scalars
-- view session
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS s FROM head
-- table s
SELECT first("user") AS user, arg_min(time, row) AS "from", arg_max(time, row) AS "to", count(*) AS clicks
FROM session GROUP BY s ORDER BY s
