-- table j
SELECT n.row AS left, m.row AS right FROM n JOIN m ON a = b ORDER BY n.row, m.row
-- table k
SELECT n.row AS wide_left, m.row AS wide_right FROM n JOIN m ON a = b ORDER BY n.row, m.row
