// Helpers for which CUDA has a function: saturating conversions, which yield 0
// or the least integer for NaN, permutations of bytes, and counts of bits.

//helper truncate_$F_i32($F) i32 for F in f32 f64
int kgen_truncate_$F_i32($type(F) x) {
	return x != x ? 0 : __$type(F)2int_rz(x);
}

//helper truncate_$F_u32($F) u32 for F in f32 f64
$type(u32) kgen_truncate_$F_u32($type(F) x) {
	return x != x ? 0u : __$type(F)2uint_rz(x);
}

//helper truncate_$F_i64($F) i64 for F in f32 f64
$type(i64) kgen_truncate_$F_i64($type(F) x) {
	return x != x ? 0 : __$type(F)2ll_rz(x);
}

//helper truncate_$F_u64($F) u64 for F in f32 f64
$type(u64) kgen_truncate_$F_u64($type(F) x) {
	return x != x ? 0 : __$type(F)2ull_rz(x);
}

//helper truncate_$F_i8($F) i8 for F in f32 f64
$type(i8) kgen_truncate_$F_i8($type(F) x) {
	const int i = kgen_truncate_$F_i32(x);
	return ($type(i8))(i < -128 ? -128 : i > 127 ? 127 : i);
}

//helper truncate_$F_i16($F) i16 for F in f32 f64
$type(i16) kgen_truncate_$F_i16($type(F) x) {
	const int i = kgen_truncate_$F_i32(x);
	return ($type(i16))(i < -32768 ? -32768 : i > 32767 ? 32767 : i);
}

//helper truncate_$F_u8($F) u8 for F in f32 f64
$type(u8) kgen_truncate_$F_u8($type(F) x) {
	const $type(u32) i = kgen_truncate_$F_u32(x);
	return ($type(u8))(i > 255u ? 255u : i);
}

//helper truncate_$F_u16($F) u16 for F in f32 f64
$type(u16) kgen_truncate_$F_u16($type(F) x) {
	const $type(u32) i = kgen_truncate_$F_u32(x);
	return ($type(u16))(i > 65535u ? 65535u : i);
}

//helper swap_char8(u64) char8
$type(u64) kgen_swap_char8($type(u64) x) {
	const $type(u32) low = ($type(u32))x, high = ($type(u32))(x >> 32);
	return ($type(u64))__byte_perm(low, 0, 0x0123) << 32 | __byte_perm(high, 0, 0x0123);
}

//helper count_ones_u32(u32) u32
$type(u32) kgen_count_ones_u32($type(u32) x) {
	return ($type(u32))__popc(x);
}

//helper count_ones_u64(u64) u64
$type(u64) kgen_count_ones_u64($type(u64) x) {
	return ($type(u64))__popcll(x);
}

//helper leading_zeros_u32(u32) u32
$type(u32) kgen_leading_zeros_u32($type(u32) x) {
	return ($type(u32))__clz((int)x);
}
