-- range x -1000 1000
-- range y -1000 1000
-- view a
SELECT row, x, y AS a FROM n FULL JOIN m USING (row)
-- view head
SELECT *, a IS DISTINCT FROM lag(a) OVER (ORDER BY row) AS head FROM a
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g FROM head
-- fails
SELECT (SELECT count(*) FROM n) <> (SELECT count(*) FROM m)
-- table n
SELECT lag(a, 1, 0) OVER (ORDER BY row) AS before, sum(a) OVER (ORDER BY row) AS total, x + row AS x FROM a ORDER BY row
-- table kept
SELECT a AS kept FROM a WHERE a > 1 ORDER BY row
-- table groups
SELECT count(*) AS groups FROM run GROUP BY g ORDER BY g
