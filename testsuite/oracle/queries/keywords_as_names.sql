-- table n
SELECT count::BIGINT + 1 AS global, date, func, int * 2 AS switch FROM n ORDER BY row
-- table scalars
SELECT count(*) FILTER (kernel) AS count, coalesce(sum(type) FILTER (kernel), 0) AS go, count(*) FILTER (n.count > errors) AS above FROM n, scalars
