-- table g
SELECT k AS key, sum(x) AS sum, count(*) AS count FROM n GROUP BY k
