// Asynchronous copies from global to shared memory, and the barriers that count
// their bytes (PTX ISA 8.0, cp.async.bulk and mbarrier). A barrier is a word of
// shared memory. A phase of a barrier ends when as many threads have arrived as
// it was initialised for, and the bytes have arrived that one of the threads
// declared. The last helpers load and store between work-groups.

//helper mbarrier_init(local []u64, i32, i32) none needs copy.bulk effects
void kgen_mbarrier_init($type(u64) *barriers, int barrier, int arrivals) {
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
		:: "r"((unsigned)__cvta_generic_to_shared(barriers + barrier)), "r"(arrivals) : "memory");
}

//helper mbarrier_publish() none needs copy.bulk effects
void kgen_mbarrier_publish(void) {
	asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

//helper bulk_reuse() none needs copy.bulk effects
void kgen_bulk_reuse(void) {
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

//helper mbarrier_expect(local []u64, i32, u32) none needs copy.bulk effects
void kgen_mbarrier_expect($type(u64) *barriers, int barrier, unsigned bytes) {
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
		:: "r"((unsigned)__cvta_generic_to_shared(barriers + barrier)), "r"(bytes) : "memory");
}

//helper mbarrier_arrive(local []u64, i32) none needs copy.bulk effects
void kgen_mbarrier_arrive($type(u64) *barriers, int barrier) {
	asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];"
		:: "r"((unsigned)__cvta_generic_to_shared(barriers + barrier)) : "memory");
}

//helper mbarrier_passed(local []u64, i32, u32) bool needs copy.bulk effects
bool kgen_mbarrier_passed($type(u64) *barriers, int barrier, unsigned parity) {
	unsigned passed;
	asm volatile(
		"{\n"
		"	.reg .pred p;\n"
		"	mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
		"	selp.u32 %0, 1, 0, p;\n"
		"}"
		: "=r"(passed) : "r"((unsigned)__cvta_generic_to_shared(barriers + barrier)), "r"(parity) : "memory");
	return passed != 0;
}

//helper bulk_copy_$T(local []u32, i32, const global []$T, i64, u32, local []u64, i32) none for T in bool i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 date needs copy.bulk effects
void kgen_bulk_copy_$T(unsigned *to, int word, const void *from, $type(i64) byte, unsigned bytes, $type(u64) *barriers, int barrier) {
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
		:: "r"((unsigned)__cvta_generic_to_shared(to + word)), "l"((const char *)from + byte), "r"(bytes),
		"r"((unsigned)__cvta_generic_to_shared(barriers + barrier)) : "memory");
}

//helper load_relaxed_u64(global []u64, i32) u64 needs copy.bulk effects
$type(u64) kgen_load_relaxed_u64($type(u64) *memory, int at) {
	$type(u64) x;
	asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"(memory + at) : "memory");
	return x;
}
