-- view head
SELECT *, (k & 1) IS DISTINCT FROM lag(k & 1) OVER (ORDER BY row) AS head FROM n
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g FROM head
-- table g
SELECT min(row) AS runs FROM run GROUP BY g ORDER BY g
-- table bins
SELECT min(row) AS bins FROM n
-- table scalars
SELECT min(row) AS low, min(row) AS high, min(row) AS infinite FROM n
