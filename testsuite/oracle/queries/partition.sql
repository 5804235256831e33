-- view parts
SELECT *, k % 16 AS part FROM n
-- table p
SELECT k, v FROM parts ORDER BY part, row
-- view counts
SELECT bin, count(part) AS rows FROM range(16) AS b(bin) LEFT JOIN parts ON part = bin GROUP BY bin
-- table part
SELECT rows, sum(rows) OVER (ORDER BY bin) - rows AS start FROM counts ORDER BY bin
