// One warp loads rows into a ring of slots in shared memory, another one adds
// them up; a counter tells each how far the other one is.
#define SLOTS 3
extern "C" __global__ void __launch_bounds__(64) ring(long long row0, long long rows, const int* __restrict__ x, int* __restrict__ out) {
	__shared__ int slots[SLOTS][32];
	__shared__ unsigned filled, emptied;
	const int lane = (int)threadIdx.x & 31;
	if (threadIdx.x == 0) {
		filled = 0;
		emptied = 0;
	}
	__syncthreads();
	const unsigned rounds = (unsigned)((rows + 31) / 32);
	if (threadIdx.x < 32) {
		for (unsigned round = 0; round < rounds; round++) {
#ifndef OVERRUN
			if (lane == 0) {
				while (*(volatile unsigned*)&emptied + SLOTS <= round) {
				}
				__threadfence_block();
			}
			__syncwarp();
#endif
			slots[round % SLOTS][lane] = round * 32 + lane < rows ? x[round * 32 + lane] : 0;
#ifndef NO_SYNCWARP_BEFORE
			__syncwarp();
#endif
			if (lane == 0) {
#ifndef NO_RELEASE_FENCE
				__threadfence_block();
#endif
				*(volatile unsigned*)&filled = round + 1;
			}
		}
		return;
	}
	int sum = 0;
	for (unsigned round = 0; round < rounds; round++) {
		if (lane == 0) {
			while (*(volatile unsigned*)&filled <= round) {
			}
#ifndef NO_ACQUIRE_FENCE
			__threadfence_block();
#endif
		}
#ifndef NO_SYNCWARP_BEHIND
		__syncwarp();
#endif
		sum += slots[round % SLOTS][lane];
		__syncwarp();
		if (lane == 0) {
			__threadfence_block();
			*(volatile unsigned*)&emptied = round + 1;
		}
	}
	out[lane] = sum;
}
