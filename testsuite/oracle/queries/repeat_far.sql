-- view times
SELECT row, value, greatest(least(length, 9), 0)::BIGINT + CASE row WHEN 1 THEN 1030 ELSE 0 END AS often FROM m
-- table kept
SELECT value AS last, often - 1 AS place FROM times WHERE often > 0 ORDER BY row
-- table m
SELECT often * (often - 1) // 2 + often * value AS total FROM times ORDER BY row
-- table scalars
SELECT coalesce(sum(often), 0) AS rows FROM times
