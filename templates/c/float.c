// Helpers on floats. x != x tests for NaN.

//helper least_$F($F, $F) $F for F in f32 f64
$type(F) kgen_least_$F($type(F) x, $type(F) y) {
	if (x != x || y != y) {
		return x + y;
	}
	if (x == y) { // 0.0 and -0.0 are
		return $bits(F)($unsignedbits(F)(x) | $unsignedbits(F)(y));
	}
	return x < y ? x : y;
}

//helper greatest_$F($F, $F) $F for F in f32 f64
$type(F) kgen_greatest_$F($type(F) x, $type(F) y) {
	if (x != x || y != y) {
		return x + y;
	}
	if (x == y) { // 0.0 and -0.0 are
		return $bits(F)($unsignedbits(F)(x) & $unsignedbits(F)(y));
	}
	return x > y ? x : y;
}

//helper key_equal_$F($F, $F) bool for F in f32 f64
bool kgen_key_equal_$F($type(F) x, $type(F) y) {
	return x == y || (x != x && y != y);
}

//helper key_less_$F($F, $F) bool for F in f32 f64
bool kgen_key_less_$F($type(F) x, $type(F) y) {
	return x < y || (x == x && y != y);
}

//helper floor_$F($F) $F for F in f32 f64
$type(F) kgen_floor_$F($type(F) x) {
	return floor(x);
}

//helper ceil_$F($F) $F for F in f32 f64
$type(F) kgen_ceil_$F($type(F) x) {
	return ceil(x);
}

//helper trunc_$F($F) $F for F in f32 f64
$type(F) kgen_trunc_$F($type(F) x) {
	return trunc(x);
}

//helper round_$F($F) $F for F in f32 f64
$type(F) kgen_round_$F($type(F) x) {
	return rint(x); // to even
}
