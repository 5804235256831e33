-- choose score -Inf -1 0 0.5 3 +Inf NaN
-- view good
SELECT *, row_number() OVER (ORDER BY row) - 1 AS place FROM n WHERE stars >= 3
-- view low
SELECT row, name FROM n ORDER BY NOT isnan(score), score, NOT signbit(score), row LIMIT 1
-- view high
SELECT row, score FROM n ORDER BY score DESC, signbit(score), row LIMIT 1
-- view best
SELECT place, name FROM good ORDER BY score DESC, signbit(score), row LIMIT 1
-- table scalars
SELECT (SELECT row FROM low) AS low, (SELECT row FROM high) AS high,
	(SELECT row FROM n ORDER BY day, row LIMIT 1) AS earliest, (SELECT row FROM n ORDER BY name DESC, row LIMIT 1) AS last_name,
	(SELECT row FROM n ORDER BY stars, row LIMIT 1) AS fewest, (SELECT row FROM n ORDER BY stars DESC, row LIMIT 1) AS most,
	(SELECT place FROM best) AS best, (SELECT place FROM good ORDER BY stars DESC, row LIMIT 1) AS liked, (SELECT name FROM best) AS winner, (SELECT name FROM low) AS worst, (SELECT score FROM high) AS score
