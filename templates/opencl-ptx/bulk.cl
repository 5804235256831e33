// Asynchronous copies from global to local memory, and the barriers that count
// their bytes, as cuda/bulk.cu has them. PTX takes the place in the local memory of
// a work-group as 32 bits.

//helper mbarrier_init(local []u64, i32, i32) none needs inline.ptx copy.bulk effects
void kgen_mbarrier_init(__local ulong *barriers, int barrier, int arrivals) {
	__asm__ volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
		:: "r"((uint)(size_t)(barriers + barrier)), "r"(arrivals) : "memory");
}

//helper mbarrier_publish() none needs inline.ptx copy.bulk effects
void kgen_mbarrier_publish(void) {
	__asm__ volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

//helper bulk_reuse() none needs inline.ptx copy.bulk effects
void kgen_bulk_reuse(void) {
	__asm__ volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

//helper mbarrier_expect(local []u64, i32, u32) none needs inline.ptx copy.bulk effects
void kgen_mbarrier_expect(__local ulong *barriers, int barrier, uint bytes) {
	__asm__ volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
		:: "r"((uint)(size_t)(barriers + barrier)), "r"(bytes) : "memory");
}

//helper mbarrier_arrive(local []u64, i32) none needs inline.ptx copy.bulk effects
void kgen_mbarrier_arrive(__local ulong *barriers, int barrier) {
	__asm__ volatile("mbarrier.arrive.shared::cta.b64 _, [%0];"
		:: "r"((uint)(size_t)(barriers + barrier)) : "memory");
}

//helper mbarrier_passed(local []u64, i32, u32) bool needs inline.ptx copy.bulk effects
bool kgen_mbarrier_passed(__local ulong *barriers, int barrier, uint parity) {
	uint passed;
	__asm__ volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
		: "=r"(passed) : "r"((uint)(size_t)(barriers + barrier)), "r"(parity) : "memory");
	return passed != 0;
}

//helper bulk_copy_$T(local []u32, i32, const global []$T, i64, u32, local []u64, i32) none for T in bool i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 date needs inline.ptx copy.bulk effects
void kgen_bulk_copy_$T(__local uint *to, int word, __global const void *from, long byte, uint bytes, __local ulong *barriers, int barrier) {
	__asm__ volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
		:: "r"((uint)(size_t)(to + word)), "l"((size_t)from + (size_t)byte), "r"(bytes), "r"((uint)(size_t)(barriers + barrier)) : "memory");
}

//helper load_relaxed_u64(global []u64, i32) u64 needs inline.ptx copy.bulk effects
ulong kgen_load_relaxed_u64(__global ulong *memory, int at) {
	ulong x;
	__asm__ volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"((size_t)(memory + at)) : "memory");
	return x;
}
