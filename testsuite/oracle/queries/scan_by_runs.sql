-- view head
SELECT *, account IS DISTINCT FROM lag(account) OVER (ORDER BY row) AS head FROM n
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g FROM head
-- table n
SELECT account, sum(amount) OVER w AS balance, row_number() OVER w - 1 AS row, max(amount) OVER w AS top
FROM run WINDOW w AS (PARTITION BY g ORDER BY row) ORDER BY run.row
