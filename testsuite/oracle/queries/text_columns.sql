-- view blog
SELECT n.row, page, amount FROM n, scalars WHERE page >= text_blog AND page < text_blog0 AND page <> which
-- view head
SELECT n.row, page, (page < text_shop) IS DISTINCT FROM lag(page < text_shop) OVER (ORDER BY n.row) AS head FROM n, scalars
-- view run
SELECT *, sum(head::INTEGER) OVER (ORDER BY row) AS r FROM head
-- table g
SELECT page, count(*) AS views FROM n GROUP BY page ORDER BY page
-- table blog
SELECT page AS kept FROM blog ORDER BY row
-- table found
SELECT arg_min(price, m.row) AS price FROM n JOIN m ON page = name GROUP BY n.row ORDER BY n.row
-- table n
SELECT CASE WHEN amount > 2 THEN page ELSE text_free_of_charge END AS chosen,
	coalesce(lag(page) OVER (ORDER BY n.row), text) AS before FROM n, scalars ORDER BY n.row
-- table r
SELECT min(page) AS first, max(page) AS last FROM run GROUP BY r ORDER BY r
-- table o
SELECT page AS sorted FROM n ORDER BY page DESC, amount, row
-- table scalars
SELECT coalesce((SELECT sum(amount) FROM blog), 0) AS paid, coalesce((SELECT max(name) FROM m), (SELECT text_no_product_has_a_nam FROM scalars)) AS most,
	(SELECT count(*) FROM n, scalars WHERE page = which) AS is_which
