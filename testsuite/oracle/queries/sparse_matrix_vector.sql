-- offsets rowptr val
-- view line
SELECT row, rowptr AS start, lead(rowptr) OVER (ORDER BY row) AS stop FROM r1 QUALIFY stop IS NOT NULL
-- view entry
SELECT line.row, row_number() OVER (ORDER BY line.row, i) - 1 AS number FROM line, range(stop - start) AS r(i)
-- fails
SELECT (SELECT count(*) > 0 FROM line WHERE stop < start) OR (SELECT count(*) FROM entry) <> (SELECT count(*) FROM z)
	OR (SELECT count(*) > 0 FROM z WHERE col NOT IN (SELECT row FROM c))
-- table m
SELECT coalesce(sum(val * x), 0) AS y
FROM line LEFT JOIN entry ON entry.row = line.row LEFT JOIN z ON z.row = number LEFT JOIN c ON c.row = col
GROUP BY line.row ORDER BY line.row
