-- table j
SELECT n.row AS left, m.row AS right, x * y AS product FROM n JOIN m ON a = c AND b = d ORDER BY n.row, m.row
-- table scalars
SELECT count(*) AS pairs FROM n JOIN m ON a = c AND b = d
