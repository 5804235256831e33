-- table j
SELECT a AS key, x, y FROM n JOIN m ON a = b ORDER BY n.row, m.row
