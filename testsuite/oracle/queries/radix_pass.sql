-- range shift 0 31
-- view digit
SELECT n.row, key, val, (key >> shift) & 255 AS digit FROM n, scalars
-- view histogram
SELECT bin, count(digit) AS count FROM range(256) AS b(bin) LEFT JOIN digit ON digit = bin GROUP BY bin
-- table p
SELECT key, val FROM digit ORDER BY digit, row
-- table b
SELECT count, sum(count) OVER (ORDER BY bin) - count AS start FROM histogram ORDER BY bin
