-- table keep
SELECT key, price FROM n WHERE key % 3 = 1 ORDER BY row
