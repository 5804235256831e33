-- table one
SELECT price FROM n JOIN m ON key = id ORDER BY n.row, m.row
-- table two
SELECT price::BIGINT + code AS two FROM n JOIN m ON key + 1 = id ORDER BY n.row, m.row
-- table test
SELECT true AS isThere, price AS price2 FROM n JOIN m ON key + 2 = id ORDER BY n.row, m.row
-- table late
SELECT price AS late FROM n JOIN m ON key + 3 = id WHERE n.row >= 2 ORDER BY n.row, m.row
-- table scalars
SELECT count(*) AS pairs FROM n JOIN m ON key + 4 = id
