-- n
SELECT coalesce((SELECT min(m.row) FROM m WHERE m.key = n.probe), -1) AS row FROM n ORDER BY n.row;
