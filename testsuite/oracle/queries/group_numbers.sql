-- table g
SELECT sum(g)::BIGINT AS total, max(g) AS most, kept AS key FROM (SELECT k AS kept, dense_rank() OVER (ORDER BY k) - 1 AS g FROM n WHERE keep) GROUP BY kept ORDER BY kept
