// CUDA C for g++: what emitted text may use, so that it compiles unchanged.
// It includes no header of the system, as the text does not, and every name of its own begins
// with cudaemu. What needs to know of other threads is in the runtime.
#pragma once
#include "cudaops.h"
#include "cudamath.h"

#define __CUDAEMU__ 1
#define __host__
#define __device__
#define __global__ __attribute__((noinline))
#define __constant__ static const
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __grid_constant__
#define warpSize 32

// A shared variable lies in a section of its own, behind a gap that belongs to
// no variable. The runtime keeps a copy of the section for each block.
#define CUDAEMU_SHARED __attribute__((section("cudaemu_shared"), aligned(16)))
#define CUDAEMU_JOIN(x, y) x##y
#define CUDAEMU_GAP(n) static __attribute__((used)) CUDAEMU_SHARED unsigned char CUDAEMU_JOIN(cudaemu_gap_, n)[16]
#define __shared__ CUDAEMU_GAP(__COUNTER__); static CUDAEMU_SHARED

// Functions of this header that touch memory tell the runtime so themselves,
// and are not interrupted in between.
#define CUDAEMU_PLAIN __attribute__((noinline, no_sanitize("thread"), no_sanitize_coverage))
#define CUDAEMU_CALLER __builtin_return_address(0)
#define CUDAEMU_API __attribute__((visibility("default")))

struct uint3 { unsigned x, y, z; };
struct dim3 { unsigned x, y, z; };

namespace cudaemu {
typedef __UINT64_TYPE__ word;
}

extern "C" {
CUDAEMU_API unsigned cudaemu_thread_index() __attribute__((const));
CUDAEMU_API unsigned cudaemu_block_index() __attribute__((const));
CUDAEMU_API unsigned cudaemu_block_size() __attribute__((const));
CUDAEMU_API unsigned cudaemu_grid_size() __attribute__((const));
CUDAEMU_API char *cudaemu_dynamic_shared() __attribute__((const));
CUDAEMU_API int cudaemu_barrier(int op, int value, int line, const void *at);
// The lane gives value and receives what the operation yields for it; of a
// shuffle that is the value of the lane source.
CUDAEMU_API cudaemu::word cudaemu_warp(int op, unsigned mask, cudaemu::word value, unsigned source, const void *at);
CUDAEMU_API unsigned cudaemu_active_mask();
CUDAEMU_API void cudaemu_fence(int device, const void *at);
CUDAEMU_API void cudaemu_atomic(const volatile void *address, unsigned size, int op, const void *at);
CUDAEMU_API void cudaemu_updated(const volatile void *address, int changed);
CUDAEMU_API void cudaemu_pause(const void *at);
CUDAEMU_API void cudaemu_trap(const void *at) __attribute__((noreturn));
CUDAEMU_API long long cudaemu_steps();
// A thread launches a kernel: call runs it with copies of so many arguments of 8 bytes.
CUDAEMU_API void cudaemu_child(void (*call)(void **), unsigned grid, unsigned block, const cudaemu::word *arguments, unsigned count);
CUDAEMU_API int cudaemu_last_error();
// What stands for inline PTX, by the Go side.
CUDAEMU_API unsigned cudaemu_shared_address(const void *);
CUDAEMU_API void cudaemu_mbarrier_init(unsigned barrier, unsigned count);
CUDAEMU_API void cudaemu_mbarrier_arrive(unsigned barrier, unsigned bytes);
CUDAEMU_API unsigned cudaemu_mbarrier_wait(unsigned barrier, unsigned parity);
CUDAEMU_API void cudaemu_bulk_load(unsigned to, const void *from, unsigned bytes, unsigned barrier);
}

#define threadIdx (uint3{cudaemu_thread_index(), 0, 0})
#define blockIdx (uint3{cudaemu_block_index(), 0, 0})
#define blockDim (dim3{cudaemu_block_size(), 1, 1})
#define gridDim (dim3{cudaemu_grid_size(), 1, 1})

// Vector types, aligned as in CUDA.
#define CUDAEMU_VECTORS(T, name, align2, align4) \
  struct __align__(align2) name##2 { T x, y; }; \
  struct __align__(align4) name##4 { T x, y, z, w; }; \
  static inline name##2 make_##name##2(T x, T y) { return {x, y}; } \
  static inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
CUDAEMU_VECTORS(signed char, char, 2, 4)
CUDAEMU_VECTORS(unsigned char, uchar, 2, 4)
CUDAEMU_VECTORS(short, short, 4, 8)
CUDAEMU_VECTORS(unsigned short, ushort, 4, 8)
CUDAEMU_VECTORS(int, int, 8, 16)
CUDAEMU_VECTORS(unsigned, uint, 8, 16)
CUDAEMU_VECTORS(float, float, 8, 16)
CUDAEMU_VECTORS(long long, longlong, 16, 16)
CUDAEMU_VECTORS(unsigned long long, ulonglong, 16, 16)
CUDAEMU_VECTORS(double, double, 16, 16)

// Barriers, fences, warps. A barrier is known by its line: the compiler may
// make several copies of a call.
#define __syncthreads() ((void)cudaemu_barrier(cudaemu::BarrierSync, 0, __LINE__, 0))
#define __syncthreads_or(p) cudaemu_barrier(cudaemu::BarrierOr, (p), __LINE__, 0)
#define __syncthreads_and(p) cudaemu_barrier(cudaemu::BarrierAnd, (p), __LINE__, 0)
#define __syncthreads_count(p) cudaemu_barrier(cudaemu::BarrierCount, (p), __LINE__, 0)
#define __threadfence() cudaemu_fence(1, 0)
#define __threadfence_system() cudaemu_fence(1, 0)
#define __threadfence_block() cudaemu_fence(0, 0)
#define __nanosleep(n) cudaemu_pause(0)
#define __trap() cudaemu_trap(0)
#define __activemask() cudaemu_active_mask()
#define clock64() cudaemu_steps()

namespace cudaemu {
template <class T> static inline word pack(T v) {
  static_assert(sizeof(T) <= 8, "a warp exchanges at most 8 bytes");
  word w = 0;
  __builtin_memcpy(&w, &v, sizeof v);
  return w;
}
template <class T> static inline T unpack(word w) {
  T v;
  __builtin_memcpy(&v, &w, sizeof v);
  return v;
}
static inline int lane() { return cudaemu_thread_index() & 31; }
static inline int segment(int width) { return lane() & ~(width - 1); }
}

template <class T> CUDAEMU_PLAIN T __shfl_sync(unsigned mask, T v, int source, int width = 32) {
  return cudaemu::unpack<T>(cudaemu_warp(cudaemu::Shuffle, mask, cudaemu::pack(v),
                                         cudaemu::segment(width) | (source & (width - 1)), CUDAEMU_CALLER));
}
template <class T> CUDAEMU_PLAIN T __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32) {
  int source = cudaemu::lane() - (int)delta;
  return cudaemu::unpack<T>(cudaemu_warp(cudaemu::Shuffle, mask, cudaemu::pack(v),
                                         source < cudaemu::segment(width) ? cudaemu::lane() : source, CUDAEMU_CALLER));
}
template <class T> CUDAEMU_PLAIN T __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32) {
  int source = cudaemu::lane() + (int)delta;
  return cudaemu::unpack<T>(cudaemu_warp(cudaemu::Shuffle, mask, cudaemu::pack(v),
                                         source >= cudaemu::segment(width) + width ? cudaemu::lane() : source, CUDAEMU_CALLER));
}
template <class T> CUDAEMU_PLAIN T __shfl_xor_sync(unsigned mask, T v, int bits, int width = 32) {
  int source = cudaemu::lane() ^ bits;
  return cudaemu::unpack<T>(cudaemu_warp(cudaemu::Shuffle, mask, cudaemu::pack(v),
                                         source >= cudaemu::segment(width) + width ? cudaemu::lane() : source, CUDAEMU_CALLER));
}
CUDAEMU_PLAIN static void __syncwarp(unsigned mask = 0xffffffffu) { cudaemu_warp(cudaemu::SyncWarp, mask, 0, 0, CUDAEMU_CALLER); }
CUDAEMU_PLAIN static unsigned __ballot_sync(unsigned mask, int p) { return cudaemu_warp(cudaemu::Ballot, mask, p != 0, 0, CUDAEMU_CALLER); }
CUDAEMU_PLAIN static int __all_sync(unsigned mask, int p) { return cudaemu_warp(cudaemu::All, mask, p != 0, 0, CUDAEMU_CALLER); }
CUDAEMU_PLAIN static int __any_sync(unsigned mask, int p) { return cudaemu_warp(cudaemu::Any, mask, p != 0, 0, CUDAEMU_CALLER); }
template <class T> CUDAEMU_PLAIN unsigned __match_any_sync(unsigned mask, T v) {
  return cudaemu_warp(cudaemu::MatchAny, mask, cudaemu::pack(v), 0, CUDAEMU_CALLER);
}
template <class T> CUDAEMU_PLAIN unsigned __match_all_sync(unsigned mask, T v, int *all) {
  unsigned same = cudaemu_warp(cudaemu::MatchAll, mask, cudaemu::pack(v), 0, CUDAEMU_CALLER);
  *all = same != 0;
  return same;
}
#define CUDAEMU_REDUCE(name, T, op) \
  CUDAEMU_PLAIN static T name(unsigned mask, T v) { return (T)cudaemu_warp(cudaemu::op, mask, (unsigned)v, 0, CUDAEMU_CALLER); }
CUDAEMU_REDUCE(__reduce_add_sync, unsigned, AddU32)
CUDAEMU_REDUCE(__reduce_add_sync, int, AddU32)
CUDAEMU_REDUCE(__reduce_min_sync, unsigned, MinU32)
CUDAEMU_REDUCE(__reduce_min_sync, int, MinS32)
CUDAEMU_REDUCE(__reduce_max_sync, unsigned, MaxU32)
CUDAEMU_REDUCE(__reduce_max_sync, int, MaxS32)
CUDAEMU_REDUCE(__reduce_and_sync, unsigned, AndU32)
CUDAEMU_REDUCE(__reduce_or_sync, unsigned, OrU32)
CUDAEMU_REDUCE(__reduce_xor_sync, unsigned, XorU32)

// Atomics. The argument's type follows the pointer's.
namespace cudaemu {
template <class T> struct Same { typedef T type; };
template <class T> static inline bool changed(T old, T now) { return __builtin_memcmp(&old, &now, sizeof old) != 0; }
}
#define CUDAEMU_UPDATE(name, expression) \
  template <class T> CUDAEMU_PLAIN T name(T *p, typename cudaemu::Same<T>::type v) { \
    cudaemu_atomic(p, sizeof(T), cudaemu::AtomicUpdate, CUDAEMU_CALLER); \
    T old = *p, now = (T)(expression); \
    *p = now; \
    cudaemu_updated(p, cudaemu::changed(old, now)); \
    return old; \
  }
CUDAEMU_UPDATE(atomicAdd, old + v)
CUDAEMU_UPDATE(atomicSub, old - v)
CUDAEMU_UPDATE(atomicExch, v)
CUDAEMU_UPDATE(atomicMin, v < old ? v : old)
CUDAEMU_UPDATE(atomicMax, v > old ? v : old)
CUDAEMU_UPDATE(atomicAnd, old & v)
CUDAEMU_UPDATE(atomicOr, old | v)
CUDAEMU_UPDATE(atomicXor, old ^ v)
CUDAEMU_UPDATE(atomicInc, old >= v ? 0 : old + 1)
CUDAEMU_UPDATE(atomicDec, old == 0 || old > v ? v : old - 1)
template <class T> CUDAEMU_PLAIN T atomicCAS(T *p, typename cudaemu::Same<T>::type expected, typename cudaemu::Same<T>::type v) {
  cudaemu_atomic(p, sizeof(T), cudaemu::AtomicUpdate, CUDAEMU_CALLER);
  T old = *p;
  if (old == expected) *p = v;
  cudaemu_updated(p, old == expected && cudaemu::changed(old, (T)v));
  return old;
}

// Loads and stores of PTX by scope: device is 1 for .gpu.
namespace cudaemu {
template <class T> CUDAEMU_PLAIN T load(const void *p, int acquires, int device) {
  cudaemu_atomic(p, sizeof(T), AtomicLoad, CUDAEMU_CALLER);
  T v = *(const volatile T *)p;
  if (acquires) cudaemu_fence(device, CUDAEMU_CALLER);
  return v;
}
template <class T> CUDAEMU_PLAIN void store(void *p, T v, int releases, int device) {
  if (releases) cudaemu_fence(device, CUDAEMU_CALLER);
  cudaemu_atomic(p, sizeof(T), AtomicStore, CUDAEMU_CALLER);
  *(volatile T *)p = v;
}
}
#define __cvta_generic_to_shared(p) ((__SIZE_TYPE__)cudaemu_shared_address((const void *)(p)))

// Loads and stores with hints for caches.
#define __ldg(p) (*(p))
#define __ldca(p) (*(p))
#define __ldcg(p) (*(p))
#define __ldcs(p) (*(p))
#define __ldlu(p) (*(p))
#define __stwb(p, v) ((void)(*(p) = (v)))
#define __stcg(p, v) ((void)(*(p) = (v)))
#define __stcs(p, v) ((void)(*(p) = (v)))

// Kernels as the runtime calls them: with a pointer to each argument.
namespace cudaemu {
template <unsigned... I> struct Indices {};
template <unsigned N, unsigned... I> struct MakeIndices : MakeIndices<N - 1, N - 1, I...> {};
template <unsigned... I> struct MakeIndices<0, I...> { typedef Indices<I...> type; };
template <class... A> struct Sizes { static constexpr unsigned char of[] = {(unsigned char)sizeof(A)..., 0}; };
template <class... A, unsigned... I> __attribute__((no_sanitize("thread"))) static inline void call(void (*kernel)(A...), void **a, Indices<I...>) { kernel(*(A *)a[I]...); }
template <class... A> __attribute__((no_sanitize("thread"))) static inline void call(void (*kernel)(A...), void **a) { call(kernel, a, typename MakeIndices<sizeof...(A)>::type{}); }
template <class... A> constexpr Entry entry(void (*)(A...), void (*f)(void **)) { return {f, sizeof...(A), Sizes<A...>::of}; }
}
// Launches by kernels, kernel<<<grid, block, 0, stream>>>(arguments): the Go side makes a call of cudaemu_launch
// of the first part. The kernel is the first argument of what runs it.
enum cudaError_t { cudaSuccess = 0, cudaErrorLaunchPendingCountExceeded = 69 };
typedef struct CUstream_st *cudaStream_t;
#define cudaStreamFireAndForget ((cudaStream_t)0x4)
#define cudaStreamTailLaunch ((cudaStream_t)0x3)
#define cudaGetLastError() ((cudaError_t)cudaemu_last_error())
namespace cudaemu {
template <class... A> __attribute__((no_sanitize("thread"))) static void call_child(void **a) { call(*(void (**)(A...))a[0], a + 1); }
template <class... A> struct Child {
  void (*kernel)(A...);
  unsigned grid, block;
  CUDAEMU_PLAIN void operator()(A... a) const {
    word words[] = {pack(kernel), pack(a)...};
    cudaemu_child(call_child<A...>, grid, block, words, 1 + sizeof...(A));
  }
};
template <class... A> static inline Child<A...> launch(void (*kernel)(A...), unsigned grid, unsigned block) { return {kernel, grid, block}; }
}
#define cudaemu_launch(kernel, grid, block, shared, stream) cudaemu::launch(kernel, grid, block)
#define CUDAEMU_KERNEL(name) \
  static void cudaemu_call_##name(void **a) { cudaemu::call(name, a); } \
  extern "C" CUDAEMU_API cudaemu::Entry cudaemu_entry_##name; \
  cudaemu::Entry cudaemu_entry_##name = cudaemu::entry(name, cudaemu_call_##name);
// The bounds of the section of shared variables; both null where there is none.
#define CUDAEMU_MODULE \
  extern "C" { \
  extern char __start_cudaemu_shared[] __attribute__((weak, visibility("hidden"))); \
  extern char __stop_cudaemu_shared[] __attribute__((weak, visibility("hidden"))); \
  extern CUDAEMU_API char *cudaemu_section[2]; \
  char *cudaemu_section[2] = {__start_cudaemu_shared, __stop_cudaemu_shared}; \
  }
