-- view head
SELECT *, (day, shop) IS DISTINCT FROM lag((day, shop)) OVER (ORDER BY row) AS head FROM n
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g FROM head
-- table g
SELECT first(day) AS day, first(shop) AS shop, sum(amount) AS amount, count(*) AS sales FROM run GROUP BY g ORDER BY g
