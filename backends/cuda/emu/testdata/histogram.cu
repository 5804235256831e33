// Counts in shared memory, added up in global memory.
extern "C" __global__ void __launch_bounds__(64) histogram(long long row0, long long rows, const int* __restrict__ x,
	unsigned long long* counts, double* sum) {
	__shared__ unsigned local[16];
	const unsigned thread = threadIdx.x;
	if (thread < 16) {
		local[thread] = 0;
	}
	__syncthreads();
	for (long long at = blockIdx.x * 64ll + thread; at < rows; at += gridDim.x * 64ll) {
		const int bin = x[at] & 15;
#ifdef NOT_ATOMIC
		local[bin]++;
#else
		atomicAdd(&local[bin], 1u);
#endif
	}
	__syncthreads();
	if (thread < 16) {
#ifdef GLOBAL_NOT_ATOMIC
		counts[thread] += local[thread];
#else
		atomicAdd(&counts[thread], (unsigned long long)local[thread]);
#endif
		atomicAdd(sum, (double)local[thread]);
	}
}
