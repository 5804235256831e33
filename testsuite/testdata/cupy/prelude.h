// CUDA C++ for groups of one thread that run one after the other.
#include <math.h>
#include <string.h>
#define __global__
#define __device__
#define __shared__ static
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

typedef unsigned long long kgen_u64;
static struct { unsigned x; } threadIdx, blockIdx, blockDim = {1}, gridDim;
extern "C" void kgen_start_group(unsigned group, unsigned groups) { blockIdx.x = group; gridDim.x = groups; }
static void __syncthreads() {}
static void __threadfence_block() {}
static void __threadfence() {}

#define VECTOR2(T, name) struct __align__(16) name { T x, y; }; static name make_##name(T x, T y) { return {x, y}; }
#define VECTOR4(T, name) struct __align__(16) name { T x, y, z, w; }; static name make_##name(T x, T y, T z, T w) { return {x, y, z, w}; }
VECTOR2(long long, longlong2)
VECTOR2(kgen_u64, ulonglong2)
VECTOR2(double, double2)
VECTOR4(int, int4)
VECTOR4(unsigned, uint4)
VECTOR4(float, float4)

#define ATOMIC(name, expression) template <class T> static T name(T *p, T x) { T old = *p; *p = expression; return old; }
ATOMIC(atomicAdd, old + x)
ATOMIC(atomicMin, x < old ? x : old)
ATOMIC(atomicMax, x > old ? x : old)
ATOMIC(atomicAnd, old & x)
ATOMIC(atomicOr, old | x)
ATOMIC(atomicExch, x)
static kgen_u64 atomicAdd(kgen_u64 *p, long long x) { return atomicAdd(p, (kgen_u64)x); }
static kgen_u64 atomicExch(kgen_u64 *p, long long x) { return atomicExch(p, (kgen_u64)x); }
template <class T> static T atomicCAS(T *p, T expected, T x) { T old = *p; if (old == expected) *p = x; return old; }

template <class To, class From> static To bits(From x) { To y; memcpy(&y, &x, sizeof y); return y; }
static unsigned __float_as_uint(float x) { return bits<unsigned>(x); }
static float __uint_as_float(unsigned x) { return bits<float>(x); }
static long long __double_as_longlong(double x) { return bits<long long>(x); }
static double __longlong_as_double(long long x) { return bits<double>(x); }
static float __fmul_rn(float x, float y) { return x * y; }
static float __fdiv_rn(float x, float y) { return x / y; }
static float __fsqrt_rn(float x) { return sqrtf(x); }
static double __dmul_rn(double x, double y) { return x * y; }
static double __dsqrt_rn(double x) { return sqrt(x); }
static unsigned __byte_perm(unsigned x, unsigned, unsigned) { return __builtin_bswap32(x); } // of selector 0x0123
static int __clz(int x) { return x ? __builtin_clz(x) : 32; }
static int __popc(unsigned x) { return __builtin_popcount(x); }
static int __popcll(kgen_u64 x) { return __builtin_popcountll(x); }

template <class T> static T saturate(double x, double least, double limit, T lowest, T highest) { return x < least ? lowest : x >= limit ? highest : (T)x; }
#define CONVERT(F, name) \
	static int __##name##2int_rz(F x) { return saturate<int>(x, -0x1p31, 0x1p31, -0x7fffffff - 1, 0x7fffffff); } \
	static unsigned __##name##2uint_rz(F x) { return saturate<unsigned>(x, 0, 0x1p32, 0, 0xffffffffu); } \
	static long long __##name##2ll_rz(F x) { return saturate<long long>(x, -0x1p63, 0x1p63, -0x7fffffffffffffffLL - 1, 0x7fffffffffffffffLL); } \
	static kgen_u64 __##name##2ull_rz(F x) { return saturate<kgen_u64>(x, 0, 0x1p64, 0, ~0ULL); }
CONVERT(float, float)
CONVERT(double, double)
