-- table n
WITH bits AS (SELECT *, a::BIT::VARCHAR AS a_, b::BIT::VARCHAR AS b_, c::BIT::VARCHAR AS c_, d::BIT::VARCHAR AS d_,
	e::BIT::VARCHAR AS e_, f::BIT::VARCHAR AS f_, g::BIT::VARCHAR AS g_, h::BIT::VARCHAR AS h_ FROM n)
SELECT bit_count(a_::BIT) AS ones_a, bit_count(b_::BIT) AS ones_b, bit_count(c_::BIT) AS ones_c, bit_count(d_::BIT) AS ones_d,
	bit_count(e_::BIT) AS ones_e, bit_count(f_::BIT) AS ones_f, bit_count(g_::BIT) AS ones_g, bit_count(h_::BIT) AS ones_h,
	instr(a_ || '1', '1') - 1 AS above_a, instr(b_ || '1', '1') - 1 AS above_b, instr(c_ || '1', '1') - 1 AS above_c,
	instr(d_ || '1', '1') - 1 AS above_d, instr(e_ || '1', '1') - 1 AS above_e, instr(f_ || '1', '1') - 1 AS above_f,
	instr(g_ || '1', '1') - 1 AS above_g, instr(h_ || '1', '1') - 1 AS above_h,
	instr(reverse('1' || a_), '1') - 1 AS below_a, instr(reverse('1' || b_), '1') - 1 AS below_b,
	instr(reverse('1' || c_), '1') - 1 AS below_c, instr(reverse('1' || d_), '1') - 1 AS below_d,
	instr(reverse('1' || e_), '1') - 1 AS below_e, instr(reverse('1' || f_), '1') - 1 AS below_f,
	instr(reverse('1' || g_), '1') - 1 AS below_g, instr(reverse('1' || h_), '1') - 1 AS below_h,
	32 - (instr(g_ || '1', '1') - 1) AS size, instr(reverse('1' || row::BIGINT::BIT::VARCHAR), '1') - 1 AS of_row
FROM bits ORDER BY row
-- table power
SELECT c AS power FROM n WHERE bit_count(c) = 1 ORDER BY row
