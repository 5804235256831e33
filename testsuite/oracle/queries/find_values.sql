-- table hit
SELECT arg_min(v, m.row) AS v, any_value(k) AS k FROM n JOIN m ON k = d GROUP BY n.row ORDER BY n.row
-- view far
SELECT n.row, min(m.row) AS f FROM n LEFT JOIN m ON x = y GROUP BY n.row
-- table met
SELECT arg_min(w, m.row) AS w FROM n JOIN m ON a = c AND b = e JOIN far ON far.row = n.row AND f IS NOT NULL
GROUP BY n.row ORDER BY n.row
-- table two
SELECT arg_min(v, m.row) AS v_two, arg_min(w, m.row) AS w_two FROM n JOIN m ON a = d GROUP BY n.row ORDER BY n.row
-- table scalars
SELECT count(*) FILTER (f IS NULL) AS missing, coalesce(min(coalesce(f, -1)), -1) AS first FROM far
