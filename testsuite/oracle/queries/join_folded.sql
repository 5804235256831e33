-- range key -2 20
-- range id -2 20
-- table some
SELECT x::BIGINT * w AS product FROM n JOIN m ON key = id ORDER BY n.row, m.row
-- table scalars
SELECT (SELECT coalesce(sum(x::BIGINT * w), 0) FROM n JOIN m ON key = m.row)::BIGINT AS total,
	(SELECT coalesce(max(w), 0) FROM n JOIN m ON key = m.row)::SMALLINT AS most,
	(SELECT count(*) FROM n JOIN m ON key = m.row) AS pairs,
	(SELECT count(*) FROM n JOIN m ON key = id WHERE x < w) AS less,
	(SELECT coalesce(sum(x::BIGINT * w), 0) FROM n JOIN m ON key = id)::BIGINT AS sum,
	(SELECT coalesce(arg_max(x, n.row), -1) + 1 FROM n JOIN m ON key = id)::INTEGER AS last
