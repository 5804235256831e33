// What a thread knows to have happened before: vector clocks, kept small by
// barriers. A barrier ends an epoch of its block and lets all threads of the
// block know all that any of them did or knew. What happened in an epoch that
// has ended is known as a whole; only the rest is kept thread by thread.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

namespace cudaemu {

// ThreadId is the block's number and the thread's number in it.
using ThreadId = std::uint64_t;
inline ThreadId thread_id(std::uint32_t block, std::uint32_t thread) { return ThreadId(block) << 32 | thread; }
inline std::uint32_t block_of(ThreadId id) { return std::uint32_t(id >> 32); }

// An epoch that no barrier ends.
constexpr std::uint32_t endless_epoch = ~std::uint32_t(0);

struct Known {
  ThreadId thread;
  std::uint32_t epoch;  // of its block
  std::uint32_t time;   // all that the thread did up to this time is known
};

struct Clock {
  std::vector<std::uint32_t> blocks;  // by block: all that it did before this epoch is known
  std::vector<Known> threads;         // beyond that, ordered by thread

  bool knows_epoch(std::uint32_t block, std::uint32_t epoch) const { return block < blocks.size() && epoch < blocks[block]; }
  bool knows(ThreadId thread, std::uint32_t time) const;
};

// ClockRef is a clock that never changes; null knows nothing.
using ClockRef = std::shared_ptr<const Clock>;

// join knows what either knows.
ClockRef join(const ClockRef &, const ClockRef &);
// join_all knows what any of them knows, beside epoch of the block as a whole.
ClockRef join_all(const std::vector<ClockRef> &, std::uint32_t block, std::uint32_t epoch);
// with adds what some threads of one block did, ordered by thread, and what
// the block did before the epoch.
ClockRef with(const ClockRef &, std::uint32_t block, std::uint32_t epoch, const std::vector<Known> &);

}  // namespace cudaemu
