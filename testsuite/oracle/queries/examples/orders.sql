-- view head
SELECT *, l_orderkey IS DISTINCT FROM lag(l_orderkey) OVER (ORDER BY row) AS head FROM n
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g FROM head
-- table g
SELECT first(l_orderkey) AS key, count(*) AS count, sum(l_quantity) AS quantity FROM run GROUP BY g ORDER BY g
