// Threads write bytes side by side, read them as words, and change bytes of one
// word through atomics on it.
extern "C" __global__ void __launch_bounds__(64) widths(long long row0, long long rows, unsigned char* bytes, unsigned* out) {
	__shared__ unsigned char shared_bytes[64];
	const unsigned thread = threadIdx.x;
	shared_bytes[thread] = (unsigned char)thread;
	bytes[thread] = (unsigned char)(thread * 3);
#ifndef NO_BARRIER
	__syncthreads();
#endif
	const unsigned word = ((const unsigned*)shared_bytes)[thread / 4];
#ifdef SAME_BYTE
	bytes[thread / 2] = 1;
#endif
	__syncthreads();
	unsigned* const target = (unsigned*)bytes + thread / 4;
	unsigned seen = *(volatile unsigned*)target;
	for (;;) {
		const unsigned old = atomicCAS(target, seen, seen + (1u << thread % 4 * 8));
		if (old == seen) {
			break;
		}
		seen = old;
	}
#ifdef PLAIN_BYTE
	bytes[thread] = 0;
#endif
	__syncthreads();
	out[thread] = word + bytes[thread];
}
