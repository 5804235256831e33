-- choose gap 0 30
-- choose least 5 10
-- view event
SELECT *, row_number() OVER (ORDER BY row) AS place, lag(user) OVER (ORDER BY row) AS earlier_user, coalesce(lag(time) OVER (ORDER BY row), 0) AS earlier FROM n WHERE valid
-- view run
SELECT event.*, sum((place = 1 OR user <> coalesce(earlier_user, 0) OR time - earlier > gap)::INTEGER) OVER (ORDER BY event.row) AS g FROM event, scalars
-- view total
SELECT g, first(user ORDER BY row) AS user, first(time ORDER BY row) AS begin_time, arg_max(time, row) AS end_time, sum(amount) AS earned FROM run GROUP BY g
-- view held
SELECT total.* FROM total, scalars WHERE earned >= least
-- table kept
SELECT user, begin_time AS since, end_time AS until, earned, sum(earned) OVER (ORDER BY g) AS so_far FROM held ORDER BY g
-- table large
SELECT earned AS large FROM held WHERE earned > 40 ORDER BY g
-- table session
SELECT earned AS all FROM total ORDER BY g
-- table scalars
SELECT (SELECT count(*) FROM held) AS rows
