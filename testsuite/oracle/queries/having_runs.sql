-- view kept
SELECT *, key IS DISTINCT FROM lag(key) OVER (ORDER BY row) AS head FROM n WHERE keep
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g FROM kept
-- table h
SELECT first(key) AS key, count(*) AS count, sum(x * 2 + 1) AS sum FROM run GROUP BY g HAVING count(*) >= 2 ORDER BY g
