-- choose name AAAA AAA AAAAA B
-- table m
SELECT name, v FROM n WHERE name = 'AAAA' ORDER BY row
