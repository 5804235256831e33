// What emitted CUDA C++ uses of CUDA, declared for clang where there are no
// headers of CUDA: enough to read a text, not to link it.
#pragma once
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(n) __attribute__((aligned(n)))

typedef unsigned long long kgen_u64;
struct uint3 { unsigned x, y, z; };
extern __device__ const uint3 threadIdx, blockIdx, blockDim, gridDim;

#define VECTOR2(T, name) struct __align__(16) name { T x, y; }; __device__ name make_##name(T, T);
#define VECTOR4(T, name) struct __align__(16) name { T x, y, z, w; }; __device__ name make_##name(T, T, T, T);
VECTOR2(long long, longlong2)
VECTOR2(kgen_u64, ulonglong2)
VECTOR2(double, double2)
VECTOR4(int, int4)
VECTOR4(unsigned, uint4)
VECTOR4(float, float4)

#define ATOMICS(T) \
	__device__ T atomicAdd(T *, T); \
	__device__ T atomicMin(T *, T); \
	__device__ T atomicMax(T *, T); \
	__device__ T atomicAnd(T *, T); \
	__device__ T atomicOr(T *, T); \
	__device__ T atomicExch(T *, T); \
	__device__ T atomicCAS(T *, T, T);
ATOMICS(int)
ATOMICS(unsigned)
ATOMICS(kgen_u64)
__device__ long long atomicMin(long long *, long long);
__device__ long long atomicMax(long long *, long long);
__device__ float atomicAdd(float *, float);
__device__ double atomicAdd(double *, double);

extern "C" {
__device__ void __syncthreads();
__device__ void __syncwarp(unsigned = 0xffffffff);
__device__ void __threadfence_block();
__device__ unsigned long __cvta_generic_to_shared(const void *);
__device__ float fabsf(float);
__device__ double fabs(double);
__device__ float __fmul_rn(float, float);
__device__ float __fdiv_rn(float, float);
__device__ float __fsqrt_rn(float);
__device__ double __dmul_rn(double, double);
__device__ double __dsqrt_rn(double);
__device__ int __float2int_rz(float);
__device__ unsigned __float2uint_rz(float);
__device__ long long __float2ll_rz(float);
__device__ kgen_u64 __float2ull_rz(float);
__device__ int __double2int_rz(double);
__device__ unsigned __double2uint_rz(double);
__device__ long long __double2ll_rz(double);
__device__ kgen_u64 __double2ull_rz(double);
__device__ unsigned __float_as_uint(float);
__device__ float __uint_as_float(unsigned);
__device__ long long __double_as_longlong(double);
__device__ double __longlong_as_double(long long);
__device__ unsigned __byte_perm(unsigned, unsigned, unsigned);
__device__ int __popc(unsigned);
__device__ int __popcll(kgen_u64);
__device__ int __clz(int);
__device__ double floor(double);
__device__ double ceil(double);
__device__ double trunc(double);
__device__ double rint(double);
}
__device__ float floor(float);
__device__ float ceil(float);
__device__ float trunc(float);
__device__ float rint(float);
template <class T> __device__ T __shfl_sync(unsigned, T, int, int = 32);
template <class T> __device__ T __shfl_up_sync(unsigned, T, unsigned, int = 32);
template <class T> __device__ T __shfl_down_sync(unsigned, T, unsigned, int = 32);
extern "C" __device__ unsigned __ballot_sync(unsigned, int);
