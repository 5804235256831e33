// Arithmetic of CUDA C for g++: bits, rounding, conversions and the functions
// of the C library. Those that the GPU approximates (sin, pow, ...) are the
// host's and may differ in the last bits.
#pragma once

static inline int __popc(unsigned v) { return __builtin_popcount(v); }
static inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
static inline int __clz(int v) { return v ? __builtin_clz(v) : 32; }
static inline int __clzll(long long v) { return v ? __builtin_clzll(v) : 64; }
static inline int __ffs(int v) { return __builtin_ffs(v); }
static inline int __ffsll(long long v) { return __builtin_ffsll(v); }
static inline unsigned long long __brevll(unsigned long long v) {
  v = __builtin_bswap64(v);
  v = (v >> 4 & 0x0f0f0f0f0f0f0f0full) | (v & 0x0f0f0f0f0f0f0f0full) << 4;
  v = (v >> 2 & 0x3333333333333333ull) | (v & 0x3333333333333333ull) << 2;
  return (v >> 1 & 0x5555555555555555ull) | (v & 0x5555555555555555ull) << 1;
}
static inline unsigned __brev(unsigned v) { return (unsigned)(__brevll(v) >> 32); }
static inline int __mulhi(int x, int y) { return (int)(((long long)x * y) >> 32); }
static inline unsigned __umulhi(unsigned x, unsigned y) { return (unsigned)(((unsigned long long)x * y) >> 32); }
static inline long long __mul64hi(long long x, long long y) { return (long long)(((__int128)x * y) >> 64); }
static inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return (unsigned long long)(((unsigned __int128)x * y) >> 64);
}
static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return (unsigned)(((unsigned long long)high << 32 | low) << (shift & 31) >> 32);
}
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return (unsigned)(((unsigned long long)high << 32 | low) >> (shift & 31));
}
static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  unsigned long long bytes = (unsigned long long)y << 32 | x;
  unsigned r = 0;
  for (int i = 0; i < 4; i++) {
    unsigned s = selector >> 4 * i, b = (unsigned)(bytes >> 8 * (s & 7)) & 255;
    r |= (s & 8 ? (b & 128 ? 255u : 0u) : b) << 8 * i;
  }
  return r;
}

#define CUDAEMU_BITS(name, from, to) \
  static inline to name(from v) { to r; __builtin_memcpy(&r, &v, sizeof r); return r; }
CUDAEMU_BITS(__float_as_int, float, int)
CUDAEMU_BITS(__float_as_uint, float, unsigned)
CUDAEMU_BITS(__int_as_float, int, float)
CUDAEMU_BITS(__uint_as_float, unsigned, float)
CUDAEMU_BITS(__double_as_longlong, double, long long)
CUDAEMU_BITS(__longlong_as_double, long long, double)
static inline int __double2hiint(double v) { return (int)(__double_as_longlong(v) >> 32); }
static inline int __double2loint(double v) { return (int)__double_as_longlong(v); }
static inline double __hiloint2double(int high, int low) {
  return __longlong_as_double((long long)((unsigned long long)(unsigned)high << 32 | (unsigned)low));
}

// Rounded to nearest, which is what the host does; nothing is contracted.
#define CUDAEMU_ROUNDED(T, f) \
  static inline T __##f##add_rn(T x, T y) { return x + y; } \
  static inline T __##f##sub_rn(T x, T y) { return x - y; } \
  static inline T __##f##mul_rn(T x, T y) { return x * y; } \
  static inline T __##f##div_rn(T x, T y) { return x / y; } \
  static inline T __##f##rcp_rn(T x) { return 1 / x; }
CUDAEMU_ROUNDED(float, f)
CUDAEMU_ROUNDED(double, d)
static inline float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
static inline double __dsqrt_rn(double x) { return __builtin_sqrt(x); }
static inline float __fmaf_rn(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
static inline double __fma_rn(double x, double y, double z) { return __builtin_fma(x, y, z); }

// To integers, toward zero and saturating. NaN is 0 from a float to 32 bits,
// and the sign bit alone otherwise (PTX ISA, cvt).
namespace cudaemu {
template <class I, class F> static inline I saturate(F v, I least, I greatest, I nan) {
  if (v != v) return nan;
  F low = (F)least, high = (F)greatest; // greatest may round up to a power of two
  if (v <= low) return least;
  if (v >= high) return greatest;
  return (I)v;
}
}
#define CUDAEMU_TO_INTEGER(name, F, I, least, greatest, nan) \
  static inline I name(F v) { return cudaemu::saturate<I, F>(v, least, greatest, nan); }
CUDAEMU_TO_INTEGER(__float2int_rz, float, int, -__INT_MAX__ - 1, __INT_MAX__, 0)
CUDAEMU_TO_INTEGER(__float2uint_rz, float, unsigned, 0, ~0u, 0)
CUDAEMU_TO_INTEGER(__float2ll_rz, float, long long, -__LONG_LONG_MAX__ - 1, __LONG_LONG_MAX__, -__LONG_LONG_MAX__ - 1)
CUDAEMU_TO_INTEGER(__float2ull_rz, float, unsigned long long, 0, ~0ull, 1ull << 63)
CUDAEMU_TO_INTEGER(__double2int_rz, double, int, -__INT_MAX__ - 1, __INT_MAX__, -__INT_MAX__ - 1)
CUDAEMU_TO_INTEGER(__double2uint_rz, double, unsigned, 0, ~0u, 1u << 31)
CUDAEMU_TO_INTEGER(__double2ll_rz, double, long long, -__LONG_LONG_MAX__ - 1, __LONG_LONG_MAX__, -__LONG_LONG_MAX__ - 1)
CUDAEMU_TO_INTEGER(__double2ull_rz, double, unsigned long long, 0, ~0ull, 1ull << 63)
static inline float __int2float_rn(int v) { return (float)v; }
static inline float __uint2float_rn(unsigned v) { return (float)v; }
static inline float __ll2float_rn(long long v) { return (float)v; }
static inline float __ull2float_rn(unsigned long long v) { return (float)v; }
static inline double __int2double_rn(int v) { return v; }
static inline double __uint2double_rn(unsigned v) { return v; }
static inline double __ll2double_rn(long long v) { return (double)v; }
static inline double __ull2double_rn(unsigned long long v) { return (double)v; }
static inline float __double2float_rn(double v) { return (float)v; }

// The C library, with CUDA's overloads for float.
#define CUDAEMU_UNARY(name) \
  static inline float name##f(float x) { return __builtin_##name##f(x); } \
  static inline float name(float x) { return __builtin_##name##f(x); } \
  static inline double name(double x) { return __builtin_##name(x); }
#define CUDAEMU_BINARY(name) \
  static inline float name##f(float x, float y) { return __builtin_##name##f(x, y); } \
  static inline float name(float x, float y) { return __builtin_##name##f(x, y); } \
  static inline double name(double x, double y) { return __builtin_##name(x, y); }
CUDAEMU_UNARY(sqrt) CUDAEMU_UNARY(fabs) CUDAEMU_UNARY(floor) CUDAEMU_UNARY(ceil) CUDAEMU_UNARY(trunc) CUDAEMU_UNARY(rint)
CUDAEMU_UNARY(nearbyint) CUDAEMU_UNARY(round) CUDAEMU_UNARY(exp) CUDAEMU_UNARY(exp2) CUDAEMU_UNARY(expm1) CUDAEMU_UNARY(log)
CUDAEMU_UNARY(log2) CUDAEMU_UNARY(log10) CUDAEMU_UNARY(log1p) CUDAEMU_UNARY(sin) CUDAEMU_UNARY(cos) CUDAEMU_UNARY(tan)
CUDAEMU_BINARY(fmod) CUDAEMU_BINARY(pow) CUDAEMU_BINARY(fmin) CUDAEMU_BINARY(fmax) CUDAEMU_BINARY(copysign) CUDAEMU_BINARY(atan2)
static inline float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
static inline float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
static inline double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
static inline float rsqrtf(float x) { return 1 / __builtin_sqrtf(x); }
static inline double rsqrt(double x) { return 1 / __builtin_sqrt(x); }
template <class T> static inline bool isnan(T x) { return __builtin_isnan(x); }
template <class T> static inline bool isinf(T x) { return __builtin_isinf(x); }
template <class T> static inline bool isfinite(T x) { return __builtin_isfinite(x); }
template <class T> static inline bool signbit(T x) { return __builtin_signbit(x); }
static inline int abs(int x) { return x < 0 ? -x : x; }
static inline long long abs(long long x) { return x < 0 ? -x : x; }
static inline long long llabs(long long x) { return x < 0 ? -x : x; }
static inline float abs(float x) { return __builtin_fabsf(x); }
static inline double abs(double x) { return __builtin_fabs(x); }

// Of mixed types the result is that of the usual conversions; floats ignore NaN.
#define CUDAEMU_MINMAX(X, Y, R) \
  static inline R min(X x, Y y) { return (R)x < (R)y ? (R)x : (R)y; } \
  static inline R max(X x, Y y) { return (R)x > (R)y ? (R)x : (R)y; }
CUDAEMU_MINMAX(int, int, int)
CUDAEMU_MINMAX(unsigned, unsigned, unsigned)
CUDAEMU_MINMAX(int, unsigned, unsigned)
CUDAEMU_MINMAX(unsigned, int, unsigned)
CUDAEMU_MINMAX(long, long, long)
CUDAEMU_MINMAX(unsigned long, unsigned long, unsigned long)
CUDAEMU_MINMAX(long long, long long, long long)
CUDAEMU_MINMAX(unsigned long long, unsigned long long, unsigned long long)
CUDAEMU_MINMAX(long long, unsigned long long, unsigned long long)
CUDAEMU_MINMAX(unsigned long long, long long, unsigned long long)
static inline float min(float x, float y) { return __builtin_fminf(x, y); }
static inline float max(float x, float y) { return __builtin_fmaxf(x, y); }
static inline double min(double x, double y) { return __builtin_fmin(x, y); }
static inline double max(double x, double y) { return __builtin_fmax(x, y); }
