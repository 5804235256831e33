-- table m
SELECT coalesce(min(day), DATE '9999-12-31') AS first, coalesce(max(day), DATE '0001-01-01') AS last, count(day) AS days
FROM range(1, 13) AS m(month) LEFT JOIN n ON month(day) = month GROUP BY month ORDER BY month
