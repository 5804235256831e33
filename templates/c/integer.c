// Helpers on integers. Signed overflow is undefined in C, so integers are
// negated as unsigned ones.

//helper divide_$T($T, $T) $T for T in i32 i64
$type(T) kgen_divide_$T($type(T) x, $type(T) y) {
	return y == -1 ? ($type(T))-($unsigned(T))x : x / y;
}

//helper remainder_$T($T, $T) $T for T in i32 i64
$type(T) kgen_remainder_$T($type(T) x, $type(T) y) {
	return y == -1 ? 0 : x % y;
}

//helper absolute_$T($T) $T for T in i8 i16 i32 i64
$type(T) kgen_absolute_$T($type(T) x) {
	return x < 0 ? ($type(T))-($unsigned(T))x : x;
}

//helper least_$T($T, $T) $T for T in i8 i16 i32 i64 u8 u16 u32 u64 char8
$type(T) kgen_least_$T($type(T) x, $type(T) y) {
	return x < y ? x : y;
}

//helper greatest_$T($T, $T) $T for T in i8 i16 i32 i64 u8 u16 u32 u64 char8
$type(T) kgen_greatest_$T($type(T) x, $type(T) y) {
	return x > y ? x : y;
}

//helper popcount_$T($T) $T for T in i8 i16 i32 u8 u16 u32
$type(T) kgen_popcount_$T($type(T) x) {
	return ($type(T))kgen_count_ones_u32(($unsigned(T))x);
}

//helper popcount_$T($T) $T for T in i64 u64
$type(T) kgen_popcount_$T($type(T) x) {
	return ($type(T))kgen_count_ones_u64(($unsigned(T))x);
}

//helper leadingzeros_$T($T) $T for T in i8 i16 i32 u8 u16 u32
$type(T) kgen_leadingzeros_$T($type(T) x) {
	return ($type(T))((int)kgen_leading_zeros_u32(($unsigned(T))x) - 32 + 8 * (int)sizeof(x));
}

//helper leadingzeros_$T($T) $T for T in i64 u64
$type(T) kgen_leadingzeros_$T($type(T) x) {
	const $type(u32) low = ($type(u32))x, high = ($type(u32))(($unsigned(T))x >> 32);
	return ($type(T))(high != 0 ? kgen_leading_zeros_u32(high) : 32 + kgen_leading_zeros_u32(low));
}

//helper trailingzeros_$T($T) $T for T in i8 i16 i32 u8 u16 u32
$type(T) kgen_trailingzeros_$T($type(T) x) {
	const $type(u32) bits = ($unsigned(T))x;
	return ($type(T))kgen_count_ones_u32(($unsigned(T))(~bits & (bits - 1)));
}

//helper trailingzeros_$T($T) $T for T in i64 u64
$type(T) kgen_trailingzeros_$T($type(T) x) {
	const $unsigned(T) bits = ($unsigned(T))x;
	return ($type(T))kgen_count_ones_u64(~bits & (bits - 1));
}
