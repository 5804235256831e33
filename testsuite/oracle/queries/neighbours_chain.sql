-- view around
SELECT row, x, lag(x, 1, 0) OVER (ORDER BY row) AS before, lead(x, 1, 0) OVER (ORDER BY row) AS after FROM n
-- view median
SELECT row, list_sort([before, x, after])[2] AS median FROM around
-- view peak
SELECT row, median, median > lag(median, 1, 0) OVER (ORDER BY row) AND median >= lead(median, 1, 0) OVER (ORDER BY row) AS peak
FROM median
-- table n
SELECT median, peak FROM peak ORDER BY row
-- table scalars
SELECT count(*) FILTER (peak) AS peaks FROM peak
