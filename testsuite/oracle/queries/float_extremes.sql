-- view head
SELECT *, k IS DISTINCT FROM lag(k) OVER (ORDER BY row) AS head FROM n
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS g FROM head
-- table n
SELECT CASE WHEN isnan(x) OR isnan(y) THEN 'NaN' ELSE least(x, y) END AS least,
	CASE WHEN isnan(x) OR isnan(y) THEN 'NaN' ELSE greatest(x, y) END AS greatest,
	x = y AND NOT isnan(x) AS equal
FROM n ORDER BY row
-- table g
SELECT CASE WHEN bool_or(isnan(x)) THEN 'NaN' ELSE min(x) END AS low, CASE WHEN bool_or(isnan(x)) THEN 'NaN' ELSE max(x) END AS high
FROM run GROUP BY g ORDER BY g
