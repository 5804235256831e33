-- range start 0 9
-- range level -1 3
-- range cur 0 3
-- view edge
SELECT unnest(range(start, start + deg)) AS place FROM v, scalars WHERE level = cur
-- view target
SELECT place, dst AS t, v.row AS seen, level FROM edge LEFT JOIN m ON m.row = place LEFT JOIN v ON v.row = dst
-- fails
SELECT (SELECT count(*) > 0 FROM target WHERE seen IS NULL) OR
	(SELECT count(*) > 0 FROM v, scalars WHERE level = cur AND deg < 0)
-- view hit
SELECT row, row IN (SELECT t FROM target WHERE level < 0) AS hit, level FROM v
-- table v
SELECT CASE WHEN hit THEN cur + 1 ELSE level END AS level FROM hit, scalars ORDER BY hit.row
-- table scalars
SELECT count(*) FILTER (hit) AS found FROM hit
