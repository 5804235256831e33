-- table n
SELECT a::HUGEINT + b AS sum FROM n FULL JOIN m USING (row) ORDER BY row
