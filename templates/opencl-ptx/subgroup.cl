// Operations of a warp, which all of its 32 work-items call together. OpenCL C 1.2
// has none, but NVIDIA's compiler takes PTX.

//helper shuffle_up_u32(u32, u32) u32 needs inline.ptx
uint kgen_shuffle_up_u32(uint x, uint distance) {
	uint theirs;
	__asm__ volatile("shfl.sync.up.b32 %0, %1, %2, 0, 0xffffffff;" : "=r"(theirs) : "r"(x), "r"(distance));
	return theirs;
}

//helper shuffle_down_u32(u32, u32) u32 needs inline.ptx
uint kgen_shuffle_down_u32(uint x, uint distance) {
	uint theirs;
	__asm__ volatile("shfl.sync.down.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(theirs) : "r"(x), "r"(distance));
	return theirs;
}

//helper shuffle_u32(u32, u32) u32 needs inline.ptx
uint kgen_shuffle_u32(uint x, uint lane) {
	uint theirs;
	__asm__ volatile("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(theirs) : "r"(x), "r"(lane));
	return theirs;
}

//helper broadcast_u32(u32, u32) u32 needs inline.ptx
uint kgen_broadcast_u32(uint x, uint lane) {
	uint theirs;
	__asm__ volatile("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(theirs) : "r"(x), "r"(lane));
	return theirs;
}

//helper shuffle_up_u64(u64, u32) u64
ulong kgen_shuffle_up_u64(ulong x, uint distance) {
	const uint low = kgen_shuffle_up_u32((uint)x, distance);
	return (ulong)kgen_shuffle_up_u32((uint)(x >> 32), distance) << 32 | low;
}

//helper shuffle_down_u64(u64, u32) u64
ulong kgen_shuffle_down_u64(ulong x, uint distance) {
	const uint low = kgen_shuffle_down_u32((uint)x, distance);
	return (ulong)kgen_shuffle_down_u32((uint)(x >> 32), distance) << 32 | low;
}

//helper shuffle_u64(u64, u32) u64
ulong kgen_shuffle_u64(ulong x, uint lane) {
	const uint low = kgen_shuffle_u32((uint)x, lane);
	return (ulong)kgen_shuffle_u32((uint)(x >> 32), lane) << 32 | low;
}

//helper broadcast_u64(u64, u32) u64
ulong kgen_broadcast_u64(ulong x, uint lane) {
	const uint low = kgen_broadcast_u32((uint)x, lane);
	return (ulong)kgen_broadcast_u32((uint)(x >> 32), lane) << 32 | low;
}

//helper ballot(bool) u32 needs inline.ptx
uint kgen_ballot(bool x) {
	uint mask;
	__asm__ volatile("{ .reg .pred holds; setp.ne.u32 holds, %1, 0; vote.sync.ballot.b32 %0, holds, 0xffffffff; }" : "=r"(mask) : "r"((uint)x));
	return mask;
}
