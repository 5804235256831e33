// The three kernels of the report, which leave the order within a part open, measured by hand on a GPU (see README.md):
//
//	nvcc -std=c++17 -arch=sm_90 -O3 reorder.cu -o reorder && ./reorder
//
// Histogram: a private one per block, added to the common one. Prefix scan: one block, in shared memory. Reorder: an atomic addition
// per key on the counter of its part; beside it with one addition per warp and part. Every result is checked: each part holds as many
// keys as the histogram says, of its radix, with their sum.
#include <cstdio>
#include <vector>
typedef unsigned u32;
typedef unsigned long long u64;

__device__ u32 radix(u32 key, int shift, int bits) { return key >> shift & ((1u << bits) - 1); }

__global__ void histogram(const u32 *keys, u32 n, int shift, int bits, u32 *counts) {
	extern __shared__ u32 mine[];
	u32 parts = 1u << bits;
	for (u32 i = threadIdx.x; i < parts; i += blockDim.x) mine[i] = 0;
	__syncthreads();
	for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[radix(keys[i], shift, bits)], 1);
	__syncthreads();
	for (u32 i = threadIdx.x; i < parts; i += blockDim.x)
		if (mine[i]) atomicAdd(&counts[i], mine[i]);
}

// Blelloch's scan of at most twice as many parts as threads.
__global__ void scan(const u32 *counts, u32 parts, u32 *starts) {
	extern __shared__ u32 x[];
	for (u32 i = threadIdx.x; i < parts; i += blockDim.x) x[i] = counts[i];
	for (u32 step = 1; step < parts; step *= 2) {
		__syncthreads();
		for (u32 i = threadIdx.x; i < parts / (2 * step); i += blockDim.x) x[2 * step * (i + 1) - 1] += x[2 * step * i + step - 1];
	}
	if (threadIdx.x == 0) x[parts - 1] = 0;
	for (u32 step = parts / 2; step > 0; step /= 2) {
		__syncthreads();
		for (u32 i = threadIdx.x; i < parts / (2 * step); i += blockDim.x) {
			u32 left = x[2 * step * i + step - 1];
			x[2 * step * i + step - 1] = x[2 * step * (i + 1) - 1];
			x[2 * step * (i + 1) - 1] += left;
		}
	}
	__syncthreads();
	for (u32 i = threadIdx.x; i < parts; i += blockDim.x) starts[i] = x[i];
}

__global__ void reorder(const u32 *keys, u32 n, int shift, int bits, u32 *next, u32 *out) {
	for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[atomicAdd(&next[radix(keys[i], shift, bits)], 1)] = keys[i];
}

__global__ void reorderByWarp(const u32 *keys, u32 n, int shift, int bits, u32 *next, u32 *out) {
	u32 lane = threadIdx.x % 32;
	for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		u32 part = radix(keys[i], shift, bits), same = __match_any_sync(__activemask(), part), first = __ffs(same) - 1, at = 0;
		if (lane == first) at = atomicAdd(&next[part], __popc(same));
		at = __shfl_sync(same, at, first);
		out[at + __popc(same & ((1u << lane) - 1))] = keys[i];
	}
}

#define OK(x) do { auto status_ = (x); if (status_ != cudaSuccess) { printf("%s: %s\n", #x, cudaGetErrorString(status_)); return 1; } } while (0)

int main() {
	const u32 n = 1u << 26;
	std::vector<u32> keys(n), got(n);
	u64 seed = 7;
	for (u32 &k : keys) { seed = seed * 6364136223846793005ull + 1442695040888963407ull; k = seed >> 32; }
	u32 *in, *out, *counts, *starts;
	OK(cudaMalloc(&in, n * 4ull)); OK(cudaMalloc(&out, n * 4ull)); OK(cudaMalloc(&counts, 4096 * 4)); OK(cudaMalloc(&starts, 4096 * 4));
	OK(cudaMemcpy(in, keys.data(), n * 4ull, cudaMemcpyHostToDevice));
	cudaEvent_t at[4];
	for (auto &e : at) OK(cudaEventCreate(&e));
	printf("%u keys, best of 7, ms\n%6s %8s %28s %10s %8s %8s %8s  %s\n", n, "parts", "threads", "reorder", "histogram", "scan", "reorder", "all", "wrong");
	for (int bits : {1, 2, 4, 5, 6, 8, 10, 12})
		for (int threads : {32, 256})
			for (int form = 0; form < 2; form++) {
				u32 parts = 1u << bits, blocks = 132 * 2048 / threads / (threads == 32 ? 2 : 1); // all that are resident
				float best[4] = {1e9, 1e9, 1e9, 1e9};
				for (int round = 0; round < 7; round++) {
					OK(cudaMemset(counts, 0, parts * 4));
					cudaEventRecord(at[0]);
					histogram<<<blocks, threads, parts * 4>>>(in, n, 0, bits, counts);
					cudaEventRecord(at[1]);
					scan<<<1, 1024, parts * 4>>>(counts, parts, starts);
					cudaEventRecord(at[2]);
					if (form == 0) reorder<<<blocks, threads>>>(in, n, 0, bits, starts, out);
					else reorderByWarp<<<blocks, threads>>>(in, n, 0, bits, starts, out);
					cudaEventRecord(at[3]);
					OK(cudaDeviceSynchronize());
					for (int i = 0; i < 4; i++) {
						float ms;
						cudaEventElapsedTime(&ms, at[i == 3 ? 0 : i], at[i == 3 ? 3 : i + 1]);
						best[i] = ms < best[i] ? ms : best[i];
					}
				}
				OK(cudaMemcpy(got.data(), out, n * 4ull, cudaMemcpyDeviceToHost));
				std::vector<u64> count(parts), sum(parts);
				for (u32 k : keys) count[k & (parts - 1)]++, sum[k & (parts - 1)] += k;
				u64 wrong = 0;
				u32 row = 0;
				for (u32 p = 0; p < parts; p++) {
					u64 total = 0;
					for (u64 i = 0; i < count[p]; i++, row++) wrong += (got[row] & (parts - 1)) != p, total += got[row];
					wrong += total != sum[p];
				}
				printf("%6u %8d %28s %10.4f %8.4f %8.4f %8.4f  %llu\n", parts, threads, form ? "an addition a warp and part" : "an addition a key", best[0], best[1], best[2], best[3], wrong);
				fflush(stdout);
			}
}
