-- view head
SELECT *, code IS DISTINCT FROM lag(code) OVER (ORDER BY row) AS head FROM n
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g FROM head
-- table g
SELECT first(code) AS code, sum(amount) AS amount FROM run GROUP BY g ORDER BY g
-- table n
SELECT CASE WHEN code >= 'M' AND code <> 'MAIL' THEN code ELSE 'none'::BLOB END AS chosen,
	lag(code, 1, '-'::BLOB) OVER (ORDER BY row) AS before
FROM n ORDER BY row
-- table scalars
SELECT coalesce(min(code), ''::BLOB) AS lowest FROM n
