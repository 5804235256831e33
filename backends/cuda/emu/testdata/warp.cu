// Every operation of a warp, on lane numbers. Lanes of a warp write a row of
// results each; odd lanes skip what even lanes do among themselves.
extern "C" __global__ void __launch_bounds__(64) warp(long long row0, long long rows, const int* __restrict__ x, int* __restrict__ out) {
	const unsigned all = 0xffffffffu, even = 0x55555555u;
	const int thread = (int)(blockIdx.x * blockDim.x + threadIdx.x), lane = thread & 31;
	const int v = x[thread];
	int* const mine = out + thread * 20;
	mine[0] = __shfl_sync(all, v, 5);
	mine[1] = __shfl_sync(all, v, lane + 1, 8);
	mine[2] = __shfl_up_sync(all, v, 3);
	mine[3] = __shfl_up_sync(all, v, 3, 8);
	mine[4] = __shfl_down_sync(all, v, 4);
	mine[5] = __shfl_down_sync(all, v, 4, 16);
	mine[6] = __shfl_xor_sync(all, v, 9);
	mine[7] = (int)__ballot_sync(all, v & 1);
	mine[8] = __any_sync(all, v == x[thread - lane + 7]) * 2 + __all_sync(all, v == 0);
	mine[9] = (int)__match_any_sync(all, v & 3);
	int same;
	mine[10] = (int)__match_all_sync(all, v >> 20, &same);
	mine[10] += same;
	mine[11] = __reduce_add_sync(all, v);
	mine[12] = __reduce_min_sync(all, v - 100);
	mine[13] = (int)__reduce_max_sync(all, (unsigned)(v - 100));
	mine[14] = (int)(__reduce_and_sync(all, (unsigned)v | 64u) + __reduce_or_sync(all, (unsigned)v) + __reduce_xor_sync(all, (unsigned)v));
	mine[15] = 0;
	if ((lane & 1) == 0) {
		mine[15] = __reduce_add_sync(even, v) + __shfl_sync(even, v, 6);
	}
	__syncwarp();
	mine[16] = (int)(__shfl_sync(all, (long long)v << 33, 3) >> 32);
	mine[17] = (int)(__shfl_sync(all, (double)v, 4) * 2.0);
	mine[18] = __syncthreads_count(v & 1);
	mine[19] = __syncthreads_or(v == 1) * 2 + __syncthreads_and(v >= 0);
}
