// Fibers: each emulated thread has a stack of its own.
#pragma once
#include <cstddef>

#if !defined(__x86_64__) || defined(CUDAEMU_UCONTEXT)
#define CUDAEMU_PORTABLE_FIBERS 1
#include <ucontext.h>
#endif

namespace cudaemu {

struct Fiber {
#ifdef CUDAEMU_PORTABLE_FIBERS
  ucontext_t context;
#else
  void *stack_pointer;
#endif
};

// prepare makes a fiber that begins with entry, which must never return.
void prepare(Fiber &, char *stack, std::size_t size, void (*entry)());
// change continues to and returns when something changes back to from.
void change(Fiber &from, Fiber &to);

}  // namespace cudaemu
