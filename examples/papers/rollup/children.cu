// Forms of repeat beside child launches, measured by hand on a GPU (see README.md):
//
//	nvcc -std=c++17 -arch=sm_90 -O3 -rdc=true children.cu -o children -lcudadevrt -lnvrtc -lcuda
//	DEVRT=/usr/local/cuda/lib64/libcudadevrt.a ./children
//
// Who finds the source of a row. Sources s of n, lengths len[s], ends[s] (inclusive
// prefix sums); out[row] = s. Forms: a thread a source, a block a source, a thread a row with a search,
// a child launch per page of sources (fire and forget, tail). NVRTC + cuLink of the child form at the end.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda.h>
#include <nvrtc.h>
#include <cuda_runtime.h>
#define OK(x) do { auto status_ = (x); if (status_ != 0) { printf("%s: error %d\n", #x, (int)status_); return 1; } } while (0)
typedef unsigned u32;
const int PAGE = 1024;
__global__ void serial(const u32 *ends, u32 n, u32 *out) {
  u32 s = blockIdx.x * blockDim.x + threadIdx.x; if (s >= n) return;
  for (u32 r = s ? ends[s - 1] : 0; r < ends[s]; r++) out[r] = s;
}
__global__ void group(const u32 *ends, u32 n, u32 *out) {
  u32 s = blockIdx.x; 
  for (u32 r = (s ? ends[s - 1] : 0) + threadIdx.x; r < ends[s]; r += blockDim.x) out[r] = s;
}
__global__ void warp(const u32 *ends, u32 n, u32 *out) {
  u32 s = (blockIdx.x * blockDim.x + threadIdx.x) / 32; if (s >= n) return;
  for (u32 r = (s ? ends[s - 1] : 0) + threadIdx.x % 32; r < ends[s]; r += 32) out[r] = s;
}
__device__ u32 upper(const u32 *ends, u32 lo, u32 hi, u32 r) { while (lo < hi) { u32 m = (lo + hi) / 2; if (ends[m] <= r) lo = m + 1; else hi = m; } return lo; }
__global__ void search(const u32 *ends, u32 n, u32 *out) {
  u32 r = blockIdx.x * blockDim.x + threadIdx.x; if (r < ends[n - 1]) out[r] = upper(ends, 0, n, r);
}
__global__ void child(const u32 *ends, u32 lo, u32 hi, u32 begin, u32 end, u32 *out) {
  for (u32 r = begin + blockIdx.x * blockDim.x + threadIdx.x; r < end; r += gridDim.x * blockDim.x) out[r] = upper(ends, lo, hi, r);
}
template <int kind, int page> __global__ void pages(const u32 *ends, u32 n, u32 *out) { // a thread a page
  u32 p = blockIdx.x * blockDim.x + threadIdx.x; u32 lo = p * page; if (lo >= n) return;
  u32 hi = min(lo + page, n), begin = lo ? ends[lo - 1] : 0, end = ends[hi - 1];
  if (begin == end) return;
  u32 blocks = min((end - begin + 255) / 256, 1024u);
  if (kind == 0) child<<<blocks, 256, 0, cudaStreamFireAndForget>>>(ends, lo, hi, begin, end, out);
  else if (kind == 1) child<<<blocks, 256, 0, cudaStreamTailLaunch>>>(ends, lo, hi, begin, end, out);
}
const char *text = R"(
typedef unsigned u32;
extern "C" __global__ void child(const u32 *ends, u32 lo, u32 hi, u32 begin, u32 end, u32 *out) {
  for (u32 r = begin + blockIdx.x * blockDim.x + threadIdx.x; r < end; r += gridDim.x * blockDim.x) {
    u32 a = lo, b = hi; while (a < b) { u32 m = (a + b) / 2; if (ends[m] <= r) a = m + 1; else b = m; }
    out[r] = a;
  }
}
extern "C" __global__ void pages(const u32 *ends, u32 n, u32 *out) {
  u32 lo = (blockIdx.x * blockDim.x + threadIdx.x) * 1024; if (lo >= n) return;
  u32 hi = lo + 1024 < n ? lo + 1024 : n, begin = lo ? ends[lo - 1] : 0, end = ends[hi - 1];
  if (begin < end) child<<<(end - begin + 255) / 256, 256, 0, (cudaStream_t)0x4>>>(ends, lo, hi, begin, end, out);
}
)";
int main() {
  for (int shape = 0; shape < 3; shape++) {
    u32 n = shape == 0 ? 1 << 23 : shape == 1 ? 1 << 17 : 1 << 20;
    std::vector<u32> ends(n); u32 total = 0, seed = 7;
    for (u32 s = 0; s < n; s++) { seed = seed * 1664525 + 1013904223; u32 k = seed >> 16;
      u32 len = shape == 0 ? k % 9 : shape == 1 ? (k % 7 == 0 ? 1000 : 1) : (k % 1024 == 0 ? 20000 : 1); total += len; ends[s] = total; }
    u32 *e, *out; OK(cudaMalloc(&e, n * 4)); OK(cudaMalloc(&out, (size_t)total * 4));
    OK(cudaMemcpy(e, ends.data(), n * 4, cudaMemcpyHostToDevice));
    std::vector<u32> got(total);
    printf("shape %d: %u sources, %u rows\n", shape, n, total);
    OK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 65536));
    const char *names[] = {"a thread a source", "a warp a source", "a block a source", "a search a row", "child per page of 1024, forget", "child per page of 1024, tail", "child per page of 16384, forget", "child per page of 16384, tail", "child per page of 256, forget"};
    cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b);
    for (int form = 0; form < 9; form++) {
      float best = 1e9; cudaMemset(out, 255, (size_t)total * 4);
      for (int i = 0; i < 7; i++) {
        cudaEventRecord(a);
        u32 pg = (n + 1023) / 1024;
        switch (form) {
        case 0: serial<<<(n + 255) / 256, 256>>>(e, n, out); break;
        case 1: warp<<<(n + 7) / 8, 256>>>(e, n, out); break;
        case 2: group<<<n, 128>>>(e, n, out); break;
        case 3: search<<<(total + 255) / 256, 256>>>(e, n, out); break;
        case 4: pages<0, 1024><<<(pg + 31) / 32, 32>>>(e, n, out); break;
        case 5: pages<1, 1024><<<(pg + 31) / 32, 32>>>(e, n, out); break;
        case 6: pages<0, 16384><<<(pg / 16 + 31) / 32 + 1, 32>>>(e, n, out); break;
        case 7: pages<1, 16384><<<(pg / 16 + 31) / 32 + 1, 32>>>(e, n, out); break;
        case 8: pages<0, 256><<<(pg * 4 + 31) / 32, 32>>>(e, n, out); break;
        }
        cudaEventRecord(b); cudaEventSynchronize(b); float ms; cudaEventElapsedTime(&ms, a, b); if (ms < best) best = ms;
      }
      auto err = cudaDeviceSynchronize();
      cudaMemcpy(got.data(), out, (size_t)total * 4, cudaMemcpyDeviceToHost);
      u32 wrong = 0; for (u32 s = 0, r = 0; s < n; s++) for (; r < ends[s]; r++) wrong += got[r] != s;
      printf("  %-32s %.4f ms, %u wrong, %s\n", names[form], best, wrong, cudaGetErrorString(err));
    }
    if (shape == 1) { // the same through NVRTC and the linker of the driver
      nvrtcProgram p; OK(nvrtcCreateProgram(&p, text, "child.cu", 0, 0, 0));
      const char *options[] = {"--gpu-architecture=compute_90", "--relocatable-device-code=true"};
      auto rc = nvrtcCompileProgram(p, 2, options); size_t size; nvrtcGetProgramLogSize(p, &size); std::vector<char> log(size + 1); nvrtcGetProgramLog(p, log.data());
      printf("  NVRTC rc %d %s\n", (int)rc, log.data()); if (rc) return 1;
      OK(nvrtcGetPTXSize(p, &size)); std::vector<char> ptx(size); OK(nvrtcGetPTX(p, ptx.data()));
      CUlinkState link; OK(cuLinkCreate(0, 0, 0, &link));
      OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, ptx.data(), size, "child", 0, 0, 0));
      OK(cuLinkAddFile(link, CU_JIT_INPUT_LIBRARY, getenv("DEVRT"), 0, 0, 0));
      void *cubin; OK(cuLinkComplete(link, &cubin, &size));
      CUmodule m; OK(cuModuleLoadData(&m, cubin)); CUfunction f; OK(cuModuleGetFunction(&f, m, "pages"));
      cudaMemset(out, 255, (size_t)total * 4);
      void *args[] = {&e, &n, &out}; u32 blocks = (n / 1024 + 32) / 32;
      OK(cuLaunchKernel(f, blocks, 1, 1, 32, 1, 1, 0, 0, args, 0)); OK(cudaDeviceSynchronize());
      cudaMemcpy(got.data(), out, (size_t)total * 4, cudaMemcpyDeviceToHost);
      u32 wrong = 0; for (u32 s = 0, r = 0; s < n; s++) for (; r < ends[s]; r++) wrong += got[r] != s;
      printf("  NVRTC and cuLink: cubin of %zu bytes, %u wrong\n", size, wrong);
    }
    cudaFree(e); cudaFree(out);
  }
}
