-- range k -1000 1000
-- view head
SELECT *, k IS DISTINCT FROM lag(k) OVER (ORDER BY row) AS head FROM n
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g FROM head
-- view sums
SELECT row, sum(x) OVER (PARTITION BY g) AS inner_sum, sum(x) OVER (PARTITION BY abs(k % 4)) AS outer_sum FROM run
-- table n
SELECT inner_sum AS inner, outer_sum AS outer, outer_sum - inner_sum AS share FROM sums ORDER BY row
