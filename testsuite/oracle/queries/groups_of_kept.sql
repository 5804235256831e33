-- choose gap 0 30
-- choose least 5 10
-- view event
SELECT *, row_number() OVER (ORDER BY row) AS place, lag(user) OVER (ORDER BY row) AS earlier_user, coalesce(lag(time) OVER (ORDER BY row), 0) AS earlier FROM n
-- view run
SELECT event.*, sum((place = 1 OR user <> coalesce(earlier_user, 0) OR time - earlier > gap)::INTEGER) OVER (ORDER BY event.row) AS g FROM event, scalars
-- view total
SELECT g, first(user ORDER BY row) AS user, first(time ORDER BY row) AS begin_time, sum(amount) AS earned FROM run GROUP BY g
-- view held
SELECT total.*, lag(user) OVER (ORDER BY g) AS earlier FROM total, scalars WHERE earned >= least
-- view visit
SELECT *, sum((earlier IS NULL OR earlier <> user)::INTEGER) OVER (ORDER BY g) AS h FROM held
-- view person
SELECT h, first(user ORDER BY g) AS user, first(begin_time ORDER BY g) AS since, count(*) AS sessions, sum(earned) AS total, max(earned) AS most FROM visit GROUP BY h
-- table kept
SELECT earned FROM held ORDER BY g
-- table visitor
SELECT user, sessions, total FROM person ORDER BY h
-- table several
SELECT user AS loyal, most, since, sum(total) OVER (ORDER BY h) AS so_far FROM person WHERE sessions > 1 ORDER BY h
-- table session
SELECT earned AS all FROM total ORDER BY g
-- table scalars
SELECT (SELECT count(*) FROM person WHERE sessions > 1) AS rows
