-- range i -1 120
-- table scalars
SELECT (SELECT x FROM n WHERE n.row = i) AS value, (SELECT count(*) FROM n) AS rows FROM scalars
