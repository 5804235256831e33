-- table valid
SELECT amount, sum(amount) OVER (ORDER BY row) AS total, sum(amount) OVER (ORDER BY row) - amount AS before
FROM n WHERE valid ORDER BY row
