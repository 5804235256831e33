-- range weight -1000 1000
-- view head
SELECT *, k IS DISTINCT FROM lag(k) OVER (ORDER BY row) AS head FROM n
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g FROM head
-- view running
SELECT run.*, weight, sum(weight) OVER (PARTITION BY g ORDER BY run.row) AS running FROM run, scalars
-- table g
SELECT first(k) AS key, count(*) AS rows, sum(weight) AS weight, max(running) AS step
FROM running GROUP BY g ORDER BY g
