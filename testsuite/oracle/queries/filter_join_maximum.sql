-- range u1 5900 6100
-- range u2 5950 6050
-- choose ten 0 1 2.5 3 9
-- table scalars
SELECT coalesce(max(u1::FLOAT * ten / 100::FLOAT), 0) AS best FROM n JOIN m ON u1 = u2 WHERE u1 < 6000 AND u2 > 1000
