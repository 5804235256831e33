-- range opened -1000 1000
-- range closed -1000 1000
-- view opens
SELECT opened, row_number() OVER (ORDER BY row) AS place FROM n WHERE is_open
-- view closes
SELECT closed, row_number() OVER (ORDER BY row) AS place FROM m WHERE is_closed
-- table is_open
SELECT opened AS "from", closed AS "to", closed - opened AS duration FROM opens FULL JOIN closes USING (place) ORDER BY place
