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
