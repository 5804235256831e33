// Rows in fours, through loads of 16 bytes and dynamic shared memory.
extern "C" __global__ void __launch_bounds__(32) vector(long long row0, long long rows, const int* __restrict__ x, int* __restrict__ out, int shift) {
	extern __shared__ __align__(16) unsigned char pool[];
	int4* const staged = reinterpret_cast<int4*>(pool);
	const long long quarter = (long long)blockIdx.x * 32 + threadIdx.x;
	if (quarter * 4 < rows) {
		staged[threadIdx.x] = *reinterpret_cast<const int4*>(x + quarter * 4 + shift);
	}
	__syncthreads();
	if (quarter * 4 < rows) {
		const int4 four = staged[threadIdx.x];
		*reinterpret_cast<int4*>(out + quarter * 4) = make_int4(four.w, four.z, four.y, four.x);
	}
}
