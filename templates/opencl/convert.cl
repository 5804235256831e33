// Helpers for which OpenCL C has a function.

//helper truncate_$F_$T($F) $T for F in f32 f64, T in i8 i16 i32 i64 u8 u16 u32 u64
$type(T) kgen_truncate_$F_$T($type(F) x) {
	return x != x ? ($type(T))0 : convert_$type(T)_sat_rtz(x);
}

//helper swap_char8(u64) char8
ulong kgen_swap_char8(ulong x) {
	return as_ulong(as_uchar8(x).s76543210);
}

//helper count_ones_$T($T) $T for T in u32 u64
$type(T) kgen_count_ones_$T($type(T) x) {
	return popcount(x);
}

//helper leading_zeros_u32(u32) u32
$type(u32) kgen_leading_zeros_u32($type(u32) x) {
	return clz(x);
}
