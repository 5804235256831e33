// Sums of tiles that bulk copies stage in a ring of shared memory.
#define STAGES 3
#define TILE 256

static __device__ __forceinline__ unsigned shared_of(const void* p) {
	return (unsigned)__cvta_generic_to_shared(p);
}
static __device__ __forceinline__ void mbarrier_init(unsigned long long* barrier, unsigned count) {
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(shared_of(barrier)), "r"(count) : "memory");
}
static __device__ __forceinline__ void mbarrier_expect(unsigned long long* barrier, unsigned bytes) {
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(shared_of(barrier)), "r"(bytes) : "memory");
}
static __device__ __forceinline__ bool mbarrier_passed(unsigned long long* barrier, unsigned parity) {
	unsigned passed;
	asm volatile(
		"{\n"
		"	.reg .pred p;\n"
		"	mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
		"	selp.u32 %0, 1, 0, p;\n"
		"}"
		: "=r"(passed) : "r"(shared_of(barrier)), "r"(parity) : "memory");
	return passed != 0;
}
static __device__ __forceinline__ void copy(void* to, const void* from, unsigned bytes, unsigned long long* barrier) {
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
		:: "r"(shared_of(to)), "l"(from), "r"(bytes), "r"(shared_of(barrier)) : "memory");
}

extern "C" __global__ void __launch_bounds__(64) bulk(long long row0, long long rows, const int* __restrict__ x, int* __restrict__ out) {
	extern __shared__ __align__(128) unsigned char pool[];
	int* const stages = (int*)pool;
	__shared__ unsigned long long full[STAGES];
	__shared__ int sums[64];
	const int thread = (int)threadIdx.x;
	const int tiles = (int)(rows / TILE);
	if (thread == 0) {
		for (int i = 0; i < STAGES; i++) {
			mbarrier_init(&full[i], 1);
		}
		asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
	}
#ifndef NO_INIT_BARRIER
	__syncthreads();
#endif
	if (thread == 0) {
		for (int tile = 0; tile < STAGES && tile < tiles; tile++) {
#ifdef WRONG_BYTES
			mbarrier_expect(&full[tile], TILE * 4 + 16);
#else
			mbarrier_expect(&full[tile], TILE * 4);
#endif
			copy(stages + tile * TILE, x + tile * TILE, TILE * 4, &full[tile]);
		}
	}
	int sum = 0;
	for (int tile = 0; tile < tiles; tile++) {
		const int stage = tile % STAGES;
#ifdef WRONG_PARITY
		const unsigned parity = 0;
#else
		const unsigned parity = (tile / STAGES) & 1;
#endif
#ifdef BARRIER_FOR_WAIT
		__syncthreads();
#elif !defined(NO_WAIT)
		while (!mbarrier_passed(&full[stage], parity)) {
		}
#endif
		for (int i = thread; i < TILE; i += 64) {
			sum += stages[stage * TILE + i];
		}
#ifndef NO_REUSE_BARRIER
		__syncthreads();
#endif
		if (thread == 0 && tile + STAGES < tiles) {
			mbarrier_expect(&full[stage], TILE * 4);
#ifdef MISALIGNED
			copy(stages + stage * TILE + 1, x + (tile + STAGES) * TILE, TILE * 4, &full[stage]);
#else
			copy(stages + stage * TILE, x + (tile + STAGES) * TILE, TILE * 4, &full[stage]);
#endif
		}
	}
	sums[thread] = sum;
	__syncthreads();
	out[thread] = sums[63 - thread];
}
