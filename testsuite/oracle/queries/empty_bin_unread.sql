-- range x 0 3
-- fails
SELECT count(*) FILTER (x NOT BETWEEN 0 AND 3) > 0 OR count(DISTINCT x) < 4 FROM n
-- table scalars
SELECT 4 AS bins
