// Bulk copies from global to shared memory, and the mbarriers that tell when
// they are done (PTX ISA, cp.async.bulk and mbarrier). A copy happens at some
// time between its start and the end of a wait for its mbarrier.
#pragma once
#include <cstdint>
#include <deque>
#include <map>

#include "clock.h"
#include "shadow.h"

namespace cudaemu {

// Mbarrier counts arrivals and bytes; a phase ends when none is missing.
struct Mbarrier {
  std::uint32_t number;          // among those of the block
  std::uint32_t count, missing;  // arrivals: of a phase, and still missing
  std::int64_t bytes;            // announced and not yet copied
  std::uint32_t phase;
  ClockRef arriving, done;       // what the end of this phase, and of the last one, lets others know
};

struct Copy {
  char *to;
  const char *from;
  std::uint32_t bytes, barrier, site;
  Actor actor;  // what the copy knows of others: that of the thread that started it
};

// Bulk is what a block has of them.
struct Bulk {
  std::map<std::uint32_t, Mbarrier> barriers;  // by shared address
  std::deque<Copy> copies;                     // not yet done
};

// Shared addresses have 32 bits, as on a GPU.
std::uint32_t shared_address(const void *);
void mbarrier_init(std::uint32_t barrier, std::uint32_t count);
void mbarrier_arrive(std::uint32_t barrier, std::uint32_t bytes);
bool mbarrier_wait(std::uint32_t barrier, std::uint32_t parity);
void bulk_load(std::uint32_t to, const void *from, std::uint32_t bytes, std::uint32_t barrier);
// advance_copies does some of the current block's copies.
void advance_copies();
// check_copies reports copies that nobody has waited for; the block is at its end.
void check_copies();

// check_access looks at an access, in pieces, that the actor is about to make.
void check_access(const Actor &, const void *, std::size_t size, std::size_t piece, Access);

}  // namespace cudaemu
