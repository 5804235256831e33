-- fails
SELECT count(*) > 0 FROM m WHERE times < 0
-- table e
SELECT value FROM m, range(times) ORDER BY m.row
