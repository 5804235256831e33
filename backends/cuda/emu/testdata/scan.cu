// An inclusive prefix sum in one pass: each block publishes the sum of its
// tile, and looks back over the tiles before it.
#define THREADS 128
#define ITEMS 4
#define TILE (THREADS * ITEMS)
#define SUM (1ull << 32)
#define PREFIX (2ull << 32)

static __device__ __forceinline__ int warp_scan(unsigned mask, int value, int lane) {
	for (int distance = 1; distance < 32; distance += distance) {
		const int other = __shfl_up_sync(mask, value, distance);
		if (lane >= distance) {
			value += other;
		}
	}
	return value;
}

extern "C" __global__ void __launch_bounds__(THREADS) scan(long long row0, long long rows, const int* __restrict__ x,
	int* __restrict__ out, unsigned long long* status, unsigned* ticket) {
	__shared__ int stage[TILE];
	__shared__ int sums[THREADS / 32];
	__shared__ int before;
	__shared__ unsigned taken;
	const int thread = (int)threadIdx.x, lane = thread & 31, warp = thread >> 5;
	if (thread == 0) {
#ifdef NO_TICKET
		taken = blockIdx.x;
#else
		taken = atomicAdd(ticket, 1u);
#endif
	}
#ifndef NO_TICKET_BARRIER
	__syncthreads();
#endif
	const int tile = (int)taken;
	const long long first = (long long)tile * TILE;
	for (int item = 0; item < ITEMS; item++) {
		const int at = item * THREADS + thread;
		stage[at] = first + at < rows ? x[row0 + first + at] : 0;
	}
	__syncthreads();
	int sum = 0;
	for (int item = 0; item < ITEMS; item++) {
		sum += stage[thread * ITEMS + item];
	}
	const int inclusive = warp_scan(0xffffffffu, sum, lane);
	if (lane == 31) {
#ifdef SHARED_BOUNDS
		sums[warp + 1] = inclusive;
#else
		sums[warp] = inclusive;
#endif
	}
#ifndef NO_SUMS_BARRIER
	__syncthreads();
#endif
	if (warp == 0) {
		int total = 0;
#ifdef FULL_MASK_IN_BRANCH
		if (lane < THREADS / 32) {
			total = warp_scan(0xffffffffu, sums[lane], lane);
		}
#else
		total = warp_scan(0xffffffffu, lane < THREADS / 32 ? sums[lane] : 0, lane);
#endif
		if (lane < THREADS / 32) {
			sums[lane] = total;
		}
		total = __shfl_sync(0xffffffffu, total, THREADS / 32 - 1);
		if (lane == 0) {
			int prefix = 0;
			if (tile > 0) {
				atomicExch(&status[tile], SUM | (unsigned)total);
				for (int look = tile - 1;; look--) {
					unsigned long long word = 0;
					while (word == 0) {
						word = *(volatile unsigned long long*)&status[look];
					}
					prefix += (int)(unsigned)word;
					if (word >= PREFIX) {
						break;
					}
				}
			}
			atomicExch(&status[tile], PREFIX | (unsigned)(prefix + total));
			before = prefix;
		}
	}
	__syncthreads();
	int running = before + (warp > 0 ? sums[warp - 1] : 0) + inclusive - sum;
	for (int item = 0; item < ITEMS; item++) {
		running += stage[thread * ITEMS + item];
		stage[thread * ITEMS + item] = running;
	}
#ifndef NO_STAGE_BARRIER
	__syncthreads();
#endif
	for (int item = 0; item < ITEMS; item++) {
		const int at = item * THREADS + thread;
#ifdef GLOBAL_BOUNDS
		if (first + at <= rows) {
#else
		if (first + at < rows) {
#endif
			out[row0 + first + at] = stage[at];
		}
	}
}
