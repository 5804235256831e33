-- table m
SELECT k AS key, x FROM n WHERE k > 2
-- table scalars
SELECT count(*) AS count FROM n WHERE k > 2
