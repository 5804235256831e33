// Copies of global to shared memory that go on beside the threads, and the
// barriers that count their bytes (PTX ISA 8.0, cp.async.bulk and mbarrier). A
// barrier is a word; a phase of it ends when so many threads have arrived as it
// was made for, and the bytes have come that one of them announced. And what goes
// on among groups that use these.

//leaf mbarrier_init(local []u64, i32, i32) none needs copy.bulk effects
void kgen_mbarrier_init($type(u64) *barriers, int barrier, int arrivals) {
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
		:: "r"((unsigned)__cvta_generic_to_shared(barriers + barrier)), "r"(arrivals) : "memory");
}

//leaf mbarrier_publish() none needs copy.bulk effects
void kgen_mbarrier_publish(void) {
	asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

//leaf bulk_reuse() none needs copy.bulk effects
void kgen_bulk_reuse(void) {
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

//leaf mbarrier_expect(local []u64, i32, u32) none needs copy.bulk effects
void kgen_mbarrier_expect($type(u64) *barriers, int barrier, unsigned bytes) {
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
		:: "r"((unsigned)__cvta_generic_to_shared(barriers + barrier)), "r"(bytes) : "memory");
}

//leaf mbarrier_arrive(local []u64, i32) none needs copy.bulk effects
void kgen_mbarrier_arrive($type(u64) *barriers, int barrier) {
	asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];"
		:: "r"((unsigned)__cvta_generic_to_shared(barriers + barrier)) : "memory");
}

//leaf mbarrier_passed(local []u64, i32, u32) bool needs copy.bulk effects
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

//leaf bulk_copy_$T(local []u32, i32, const global []$T, i64, u32, local []u64, i32) none for T in bool i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 date needs copy.bulk effects
void kgen_bulk_copy_$T(unsigned *to, int word, const void *from, $type(i64) byte, unsigned bytes, $type(u64) *barriers, int barrier) {
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
		:: "r"((unsigned)__cvta_generic_to_shared(to + word)), "l"((const char *)from + byte), "r"(bytes),
		"r"((unsigned)__cvta_generic_to_shared(barriers + barrier)) : "memory");
}

//leaf load_relaxed_u64(global []u64, i32) u64 needs copy.bulk effects
$type(u64) kgen_load_relaxed_u64($type(u64) *memory, int at) {
	$type(u64) x;
	asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"(memory + at) : "memory");
	return x;
}
