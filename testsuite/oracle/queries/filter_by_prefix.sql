-- range cost -5 100
-- range budget 0 1000
-- view spent
SELECT *, sum(cost) OVER (ORDER BY row) AS spent FROM n
-- table fits
SELECT id, cost, spent FROM spent, scalars WHERE spent <= budget ORDER BY spent.row
-- table scalars
SELECT any_value(budget) - coalesce(sum(cost) FILTER (spent <= budget), 0) AS left FROM scalars LEFT JOIN spent ON true
