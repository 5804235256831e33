-- table b
SELECT count(age) AS people, count(*) FILTER (member) AS members, coalesce(max(age), 0) AS oldest
FROM range(10) AS b(bin) LEFT JOIN n ON least(age // 10, 9) = bin
GROUP BY bin ORDER BY bin
