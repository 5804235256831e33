// Shadow memory: what is known of each byte of an array, and who touched it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "clock.h"

namespace cudaemu {

// Actor is a thread as the shadow sees it.
struct Actor {
  std::uint32_t block, thread;  // numbers in the grid and in the block
  std::uint32_t epoch;          // barriers that the block has passed
  std::uint32_t time;           // advances when others may learn what the thread did
  ClockRef known;               // of other threads
  ClockRef acquired_device, acquired_block;  // seen in atomics, known from the next fence on
  ClockRef released_device, released_block;  // what the last fence lets atomics tell
  bool asynchronous = false;  // a copy, for which no barrier waits
  ThreadId id() const { return thread_id(block, thread); }
};

// Access is a use of memory.
struct Access {
  std::uint32_t site;  // place in the text, as an offset in the module
  bool writes, atomic;
};

// Record is an access that some lanes of a warp made at the same epoch and time.
struct Record {
  std::uint32_t block = 0, warp = 0, lanes = 0, epoch = 0, time = 0;
  Access access{};
};

// Conflict is a pair of accesses that nothing orders.
struct Conflict {
  bool found = false;
  Record earlier;
};

// Shadow watches one array. All elements of a granule were always accessed
// together, so that a granule has one history; the granule shrinks when it has to.
class Shadow {
 public:
  // reset makes an array of so many bytes that nobody has touched.
  void reset(std::size_t bytes);
  // touch records an access and returns what it conflicts with.
  Conflict touch(const Actor &, std::size_t offset, std::size_t size, Access);
  // acquire and release are the two directions of an atomic access.
  void acquire(Actor &, std::size_t offset);
  void release(const Actor &, std::size_t offset, bool replaces);

 private:
  struct More {  // what few granules need
    std::vector<Record> reads, atomics;
    ClockRef device, block;
    std::uint32_t owner = 0;  // of block
  };
  struct Cell {
    Record write, read;
    std::uint32_t more = 0;  // 1 + index
  };
  void shrink(std::size_t offset, std::size_t size);
  More &more(Cell &);
  void touch_cell(Cell &, const Actor &, Access, Conflict &);

  std::size_t bytes_ = 0, granule_ = 0;
  std::vector<Cell> cells_;
  std::deque<More> more_;
};

// Bits says of each byte of an array whether it has been written.
class Bits {
 public:
  void reset(std::size_t bytes, bool set);
  void set(std::size_t offset, std::size_t size);
  bool all(std::size_t offset, std::size_t size) const { return first_unset(offset, size) == offset + size; }
  std::size_t first_unset(std::size_t offset, std::size_t size) const;

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace cudaemu
