// Device memory: allocations between guard pages, and where addresses lie.
#pragma once
#include <cstddef>
#include <cstdint>

#include "shadow.h"

namespace cudaemu {

struct Allocation {
  std::int64_t number;
  char *data;
  std::size_t bytes;   // as asked for
  std::size_t usable;  // rounded up, for atomics on the word that holds an element
  bool constant;       // a column of the caller, which no kernel writes
  char *pages;         // what is mapped, with guards
  std::size_t mapped;
  Bits written;
  Shadow shadow;
  std::uint64_t launch = 0;  // that the shadow is of
};

// allocate returns null where the limit or the system refuses. Contents are a
// pattern that depends on the seed.
Allocation *allocate(std::size_t bytes, bool constant, std::uint64_t seed);
void release(Allocation *);
Allocation *allocation(std::int64_t number);  // null where there is none
Allocation *allocation_at(const volatile void *address);
// allocation_near returns the one whose guards the address lies in, too.
Allocation *allocation_near(const volatile void *address);
// seal makes a constant allocation read-only.
void seal(Allocation *);

// scramble fills memory with what nobody should read.
void scramble(char *data, std::size_t bytes, std::uint64_t seed);

extern std::size_t memory_limit;

}  // namespace cudaemu
