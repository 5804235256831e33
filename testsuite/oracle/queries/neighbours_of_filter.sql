-- range t -1000000 1000000
-- table alarm
SELECT t AS time, t - lag(t, 1, 0) OVER w AS since, lead(t, 1, 0) OVER w - t AS until, lag(t, 7, -1) OVER w AS seventh, t AS same
FROM n WHERE alarm WINDOW w AS (ORDER BY row) ORDER BY row
