-- fails
SELECT count(*) > 0 FROM n WHERE product NOT IN (SELECT row FROM p)
-- table p
SELECT price, coalesce(sum(amount), 0) AS sold, coalesce(sum(amount), 0) * price AS revenue
FROM p LEFT JOIN n ON product = p.row GROUP BY p.row, price ORDER BY p.row
