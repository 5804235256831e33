// The emulated machine: blocks of threads, each thread a fiber, of which one
// runs at a time, in an order that a seed decides.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "bulk.h"
#include "fiber.h"
#include "shadow.h"

namespace cudaemu {

enum class State { ready, barrier, warp, done };

struct Block;

struct Thread {
  Fiber fiber;
  char *stack;
  Block *block;
  State state;
  Actor actor;           // its number is actor.thread
  std::uint32_t site;    // where it last called the runtime
  unsigned mask;         // of the warp operation that it waits in, and the rest of it
  int op;
  unsigned source;
  std::uint64_t value, result;
  int vote;              // what it gives to a barrier
  int error;             // of its last launch of a kernel
  std::size_t place;     // in the ring of those that can run
};

// ReadyList holds threads that can run, in a ring.
class ReadyList {
 public:
  void reset(std::size_t most) { ring_.assign(most, nullptr), head_ = count_ = 0; }
  bool empty() const { return count_ == 0; }
  void add(Thread *t) { put(t, (head_ + count_++) % ring_.size()); }
  // look returns the thread that has waited longest, but for chance.
  Thread *look(std::uint32_t chance) const { return ring_[(head_ + chance % count_) % ring_.size()]; }
  void remove(Thread *t) {
    put(ring_[head_], t->place);
    head_ = (head_ + 1) % ring_.size(), count_--;
  }

 private:
  void put(Thread *t, std::size_t place) { ring_[place] = t, t->place = place; }

  std::vector<Thread *> ring_;
  std::size_t head_ = 0, count_ = 0;
};

// Block is a place for a block; its threads are used again for the next one.
struct Block {
  std::uint32_t number;
  bool live = false;
  std::vector<Thread> threads;
  ReadyList ready;
  unsigned alive, waiting;   // threads that have not ended; that wait at the barrier
  std::uint32_t ended;       // the thread that ended last
  int barrier_line, barrier_op;
  ClockRef base;             // what every thread knew at the last barrier
  std::vector<char> saved;   // shared memory while another block has the section
  std::vector<Shadow> shadows;  // of the shared arrays
  std::vector<Bits> written;
  Bulk bulk;
};

// SharedArray is a variable of a module's shared section.
struct SharedArray {
  std::size_t offset, bytes;  // in the section
};

struct Launch {
  void (*call)(void **);
  void **arguments;
  std::uint32_t grid, block;  // blocks; threads a block
  char *section;              // of shared variables
  std::size_t section_bytes;
  std::vector<SharedArray> arrays;  // that the kernel can use, by offset
  std::size_t dynamic_bytes;
  const char *module_begin, *module_end;
  bool check, shuffled;  // shuffled: threads and blocks run in random order
  bool cooperative;      // all blocks run at once
  bool in_order;         // blocks start in the order of their numbers
  bool any_lane;         // the lanes of a warp run in random order, too; else in their own, as those of GPUs do as a rule
  std::uint64_t seed;
  unsigned resident;  // blocks that run at once, at most
};

// The largest dynamic shared memory, and where it lies for every block.
constexpr std::size_t dynamic_most = 227 << 10;
extern char dynamic_shared[dynamic_most];

extern Launch launch;
extern Thread *current;       // null between fibers
extern std::uint64_t number_of_launch;

// run runs a launch, and then those of its threads, to their end, or to the first report that
// ends them.
void run();
// launch_child is a launch by a thread; false if no more can wait.
bool launch_child(void (*call)(void **), std::uint32_t grid, std::uint32_t block, const std::uint64_t *arguments, std::size_t count);
// stop ends the launch from within a thread; it does not return.
[[noreturn]] void stop();

// These suspend the current thread.
void yield();
void give_way();  // of a thread that is in no list of ready ones
int wait_barrier(int op, int vote, int line);
std::uint64_t wait_warp(int op, unsigned mask, std::uint64_t value, unsigned source);

// progressed and spun watch for threads that only wait for each other.
void progressed();
void spun();

std::uint32_t chance();  // a random number
std::uint64_t steps();   // switches and accesses so far
void step();             // counts one; may let another thread run
bool on_stack(const volatile void *);
// shared_array finds the array of the current block that holds the address.
int shared_array(const volatile void *, std::size_t &offset);
std::uint32_t site_of(const void *return_address);

}  // namespace cudaemu
