-- view mean
SELECT count(*) FILTER (m) AS rows, coalesce(sum(a), 0) / (count(*) FILTER (m))::DOUBLE AS mean, count(*) AS length FROM n
-- table scalars
SELECT rows, mean, mean * (1 + tax) AS taxed, rows * 100 // greatest(length, 1) AS share FROM mean, scalars
