-- table n
SELECT name, "any", "some" FROM n ORDER BY row
-- table scalars
SELECT coalesce(sum(price) FILTER (name AND NOT "some"), 0) AS total FROM n
