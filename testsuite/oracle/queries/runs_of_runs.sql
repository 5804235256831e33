-- view head
SELECT *, k IS DISTINCT FROM lag(k) OVER (ORDER BY row) AS head FROM n
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g FROM head
-- view total
SELECT g, sum(x) AS total FROM run GROUP BY g
-- view head_of_totals
SELECT *, total IS DISTINCT FROM lag(total) OVER (ORDER BY g) AS head FROM total
-- view run_of_totals
SELECT *, sum(head::INTEGER) OVER (ORDER BY g) AS outer_g FROM head_of_totals
-- table g
SELECT first(total) AS total, count(*) AS groups FROM run_of_totals GROUP BY outer_g ORDER BY outer_g
