-- table hit
SELECT probe, any_value(val) AS val
FROM n JOIN (SELECT key, arg_min(val, row) AS val FROM m GROUP BY key) ON key = probe
GROUP BY n.row, probe ORDER BY n.row
