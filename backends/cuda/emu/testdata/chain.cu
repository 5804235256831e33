// Each block hands a number to the next one through a word of its own and a
// flag beside it, so that only fences order the two.
static __device__ __forceinline__ int load(const int* p) {
	int v;
#ifdef SCOPED_RELAXED
	asm volatile("ld.relaxed.gpu.global.b32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
#else
	asm volatile("ld.acquire.gpu.global.b32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
#endif
	return v;
}
static __device__ __forceinline__ void store(int* p, int v) {
	asm volatile("st.release.gpu.global.b32 [%0], %1;" :: "l"(p), "r"(v) : "memory");
}

extern "C" __global__ void __launch_bounds__(32) chain(long long row0, long long rows, int* data, int* flags, int* out, unsigned* ticket) {
	__shared__ unsigned taken;
	if (threadIdx.x == 0) {
#ifdef NO_TICKET
		taken = blockIdx.x;
#else
		taken = atomicAdd(ticket, 1u);
#endif
	}
	__syncthreads();
	const int block = (int)taken;
	if (threadIdx.x == 0) {
		int before = 0;
		if (block > 0) {
#if defined(SCOPED) || defined(SCOPED_RELAXED)
			while (load(&flags[block - 1]) == 0) {
			}
#elif defined(PLAIN_SPIN)
			while (flags[block - 1] == 0) {
				__nanosleep(20);
			}
#else
			while (*(volatile int*)&flags[block - 1] == 0) {
				__nanosleep(20);
			}
#endif
#ifdef BLOCK_FENCE
			__threadfence_block();
#elif !defined(NO_ACQUIRE_FENCE) && !defined(SCOPED) && !defined(SCOPED_RELAXED)
			__threadfence();
#endif
			before = data[block - 1];
		}
		data[block] = before + 1;
#if defined(SCOPED) || defined(SCOPED_RELAXED)
		store(&flags[block], 1);
#else
#ifdef BLOCK_RELEASE_FENCE
		__threadfence_block();
#elif !defined(NO_RELEASE_FENCE)
		__threadfence();
#endif
#ifdef PLAIN_FLAG
		flags[block] = 1;
#else
		*(volatile int*)&flags[block] = 1;
#endif
#endif
		out[block] = before + 1;
	}
}
