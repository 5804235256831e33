-- fails
SELECT count(*) > 0 FROM m WHERE times < 0
-- table x
SELECT x FROM m, range(times) ORDER BY m.row
