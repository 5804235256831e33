// Operations of a warp, which all of its 32 threads call together.

//helper shuffle_up_$T($T, u32) $T for T in u32 u64
$type(T) kgen_shuffle_up_$T($type(T) x, $type(u32) distance) {
	return __shfl_up_sync(0xffffffffu, x, distance);
}

//helper shuffle_down_$T($T, u32) $T for T in u32 u64
$type(T) kgen_shuffle_down_$T($type(T) x, $type(u32) distance) {
	return __shfl_down_sync(0xffffffffu, x, distance);
}

//helper shuffle_$T($T, u32) $T for T in u32 u64
$type(T) kgen_shuffle_$T($type(T) x, $type(u32) lane) {
	return __shfl_sync(0xffffffffu, x, (int)lane);
}

//helper broadcast_$T($T, u32) $T for T in u32 u64
$type(T) kgen_broadcast_$T($type(T) x, $type(u32) lane) {
	return __shfl_sync(0xffffffffu, x, (int)lane);
}

//helper ballot(bool) u32
$type(u32) kgen_ballot(bool x) {
	return __ballot_sync(0xffffffffu, x);
}
