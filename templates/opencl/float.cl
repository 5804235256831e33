// Leaf intrinsics on floats. A NaN is told by x != x.

//leaf truncate_$F_$T($F) $T for F in f32 f64, T in i8 i16 i32 i64 u8 u16 u32 u64
$type(T) kgen_truncate_$F_$T($type(F) x) {
	return x != x ? ($type(T))0 : convert_$type(T)_sat_rtz(x);
}

//leaf least_$F($F, $F) $F for F in f32 f64
$type(F) kgen_least_$F($type(F) x, $type(F) y) {
	if (x != x || y != y) {
		return x + y;
	}
	if (x == y) { // 0.0 and -0.0 are
		return as_$type(F)(as_$unsigned(F)(x) | as_$unsigned(F)(y));
	}
	return x < y ? x : y;
}

//leaf greatest_$F($F, $F) $F for F in f32 f64
$type(F) kgen_greatest_$F($type(F) x, $type(F) y) {
	if (x != x || y != y) {
		return x + y;
	}
	if (x == y) { // 0.0 and -0.0 are
		return as_$type(F)(as_$unsigned(F)(x) & as_$unsigned(F)(y));
	}
	return x > y ? x : y;
}

//leaf key_equal_$F($F, $F) bool for F in f32 f64
bool kgen_key_equal_$F($type(F) x, $type(F) y) {
	return x == y || (x != x && y != y);
}

//leaf key_less_$F($F, $F) bool for F in f32 f64
bool kgen_key_less_$F($type(F) x, $type(F) y) {
	return x < y || (x == x && y != y);
}
