-- range at -60000000000000000 200000000000000000
-- choose pause 1800000000 0 -5 86400000000
-- view head
SELECT n.row, "user", "at", amount, "user" <> coalesce(lag("user") OVER (ORDER BY n.row), -1)
	OR epoch_us("at") - coalesce(epoch_us(lag("at") OVER (ORDER BY n.row)), 0) > pause AS head
FROM n, scalars
-- view session
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS s FROM head
-- table s
SELECT arg_min("user", row) AS "user", arg_min("at", row) AS begin, epoch_us(arg_max("at", row)) - epoch_us(arg_min("at", row)) AS length,
	count(*) AS events, sum(amount) AS amount FROM session GROUP BY s ORDER BY s
-- table h
SELECT count("at") AS by_hour FROM range(24) AS t(h) LEFT JOIN n ON hour("at") = h GROUP BY h ORDER BY h
-- table scalars
SELECT coalesce(max("at"), TIMESTAMP '1970-01-01') AS latest FROM n
