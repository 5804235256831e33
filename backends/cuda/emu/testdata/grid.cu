// All blocks of a grid meet, then each adds up what all of them have written.
// The grid must not have more blocks than run at once.
extern "C" __global__ void __launch_bounds__(64) grid(long long row0, long long rows, const int* __restrict__ x, int* __restrict__ out, int* parts, unsigned* arrived) {
	__shared__ int sum;
	const int thread = (int)threadIdx.x;
	if (thread == 0) {
		sum = 0;
	}
	__syncthreads();
	const long long at = blockIdx.x * 64ll + thread;
	if (at < rows) {
		atomicAdd(&sum, x[at]);
	}
	__syncthreads();
	if (thread == 0) {
		parts[blockIdx.x] = sum;
#ifndef NO_RELEASE_FENCE
		__threadfence();
#endif
		atomicAdd(arrived, 1u);
		while (*(volatile unsigned*)arrived < gridDim.x) {
		}
#ifndef NO_ACQUIRE_FENCE
		__threadfence();
#endif
	}
#ifndef NO_BARRIER
	__syncthreads();
#endif
	int total = 0;
	for (unsigned block = 0; block < gridDim.x; block++) {
		total += parts[block];
	}
	if (at < rows) {
		out[at] = total;
	}
}
