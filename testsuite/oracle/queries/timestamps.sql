-- range t -60000000000000000 200000000000000000
-- table n
SELECT ((year(t) * 100 + month(t)) * 100 + day(t)) * 10 + isodow(t) AS parts,
	(hour(t) * 100 + minute(t)) * 100 + second(t) AS clock,
	date_trunc('second', t) AS seconds, date_trunc('minute', t) AS minutes, date_trunc('hour', t) AS hours, date_trunc('day', t)::TIMESTAMP AS days,
	date_trunc('week', t)::TIMESTAMP AS weeks, date_trunc('month', t)::TIMESTAMP AS months,
	date_trunc('quarter', t)::TIMESTAMP AS quarters, date_trunc('year', t)::TIMESTAMP AS years,
	t::DATE AS date, epoch_us(t) - epoch_us(t::DATE::TIMESTAMP) AS since_midnight,
	t + to_microseconds(90061000001) AS later, t < TIMESTAMP '2000-01-01' AS earlier
FROM n ORDER BY row
