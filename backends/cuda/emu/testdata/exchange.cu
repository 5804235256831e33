// Neighbouring lanes swap values through shared memory.
extern "C" __global__ void __launch_bounds__(64) exchange(long long row0, long long rows, const int* __restrict__ x, int* __restrict__ out) {
	__shared__ int slots[64];
	const int thread = (int)threadIdx.x;
	const long long at = (long long)blockIdx.x * 64 + thread;
	const bool inside = at < rows;
#ifdef SHARED_UNWRITTEN
	if (inside) {
		slots[thread] = x[at];
	}
#else
	slots[thread] = inside ? x[at] : 0;
#endif
#ifdef SHUFFLE_FOR_SYNC
	(void)__shfl_sync(0xffffffffu, thread, 0);
#elif !defined(NO_SYNCWARP)
	__syncwarp();
#endif
	const int value = slots[thread ^ 1];
#ifdef BARRIER_IN_BRANCH
	if (inside) {
		__syncthreads();
	}
#elif defined(TWO_BARRIERS)
	if (thread < 32) {
		__syncthreads();
	} else {
		__syncthreads();
	}
#elif defined(EARLY_END)
	if (!inside) {
		return;
	}
	__syncthreads();
#else
	__syncthreads();
#endif
#ifdef WRONG_OPERATION
	if (thread & 1) {
		(void)__ballot_sync(0xffffffffu, 1);
	} else {
		(void)__shfl_sync(0xffffffffu, thread, 0);
	}
#elif defined(OWN_LANE_MISSING)
	__syncwarp(0xfffffffeu);
#elif defined(SHUFFLE_FROM_OUTSIDE)
	if (thread & 1) {
		(void)__shfl_sync(0xaaaaaaaau, thread, 0);
	}
#endif
	if (inside) {
		out[at] = value;
	}
}
