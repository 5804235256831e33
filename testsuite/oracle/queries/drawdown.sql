-- range price -100000 100000
-- view fall
SELECT row, max(price) OVER (ORDER BY row) - price AS fall FROM n
-- table n
SELECT fall FROM fall ORDER BY row
-- table scalars
SELECT coalesce(max(fall), 0) AS worst FROM fall
