// A thread launches a grid for each page of 100 rows, or makes it itself where it may not.
extern "C" __global__ void __launch_bounds__(32) page(const int* __restrict__ x, int* out, long long begin, int rows) {
	const int row = blockIdx.x * 32 + threadIdx.x;
	if (row < rows) {
#ifdef CHILD_BOUNDS
		out[begin + row + 5000] = x[begin + row] + 1;
#elif defined CHILD_RACE
		out[begin + row / 2] = x[begin + row] + 1;
#else
		out[begin + row] = x[begin + row] + 1;
#endif
	}
}

extern "C" __global__ void __launch_bounds__(32) children(long long row0, long long rows, const int* __restrict__ x, int* out) {
	const long long begin = 100ll * (blockIdx.x * 32 + threadIdx.x);
	if (begin < rows) {
		const int count = rows - begin < 100 ? (int)(rows - begin) : 100;
		page<<<(count + 31) / 32, 32, 0, cudaStreamFireAndForget>>>(x, out, begin, count);
#ifndef NO_FALLBACK
		if (cudaGetLastError() != cudaSuccess) {
			for (int row = 0; row < count; row++) {
				out[begin + row] = x[begin + row] + 1;
			}
		}
#endif
	}
}
