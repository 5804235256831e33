#include "machine.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <numeric>

#include "cudaops.h"
#include "memory.h"
#include "report.h"

namespace cudaemu {

Launch launch;
Thread *current;
std::uint64_t number_of_launch;
alignas(128) char dynamic_shared[dynamic_most];

namespace {

constexpr std::size_t stack_bytes = 256 << 10;
// Loads that change nothing before a launch counts as stuck; each lets another
// thread run, so that a thread with something to do is long past it.
constexpr std::uint64_t spins_most = 1 << 20;
constexpr std::uint64_t patience = spins_most / 8;  // spins after which lanes run in any order: the first may wait for another
constexpr unsigned checked_quantum = 16, plain_quantum = 20000;  // steps between preemptions

Fiber main_fiber;
std::vector<Block> blocks;
Block *active;  // whose shared memory is in the section
std::uint64_t random_state, step_count, spin_count;
unsigned quantum;
bool stopped;
std::uint64_t started, first_block, block_stride;

// Child is a launch by a thread.
struct Child {
  void (*call)(void **);
  std::uint32_t grid, block;
  std::vector<std::uint64_t> arguments;
};
std::deque<Child> children;
constexpr std::size_t children_most = 2048;  // that wait, as by default on GPUs

unsigned next_quantum() {
  if (!launch.check) return plain_quantum;
  return 1 + chance() % (2 * checked_quantum);
}

// Shared memory: the section and the dynamic part, one after the other.
void copy_section(char *saved, bool out) {
  auto copy = [&](char *memory, std::size_t n) {
    out ? std::memcpy(saved, memory, n) : std::memcpy(memory, saved, n);
    saved += n;
  };
  for (const SharedArray &a : launch.arrays) copy(launch.section + a.offset, a.bytes);
  copy(dynamic_shared, launch.dynamic_bytes);
}

void activate(Block *b) {
  if (b == active) return;
  if (active && active->live) copy_section(active->saved.data(), true);
  copy_section(b->saved.data(), false);
  active = b;
}

// another returns a block with threads that can run: active's turn comes last.
Block *another() {
  std::size_t n = blocks.size(), from = active ? active - blocks.data() + 1 : 0;
  if (launch.shuffled) from = chance() % n;
  for (std::size_t i = 0; i < n; i++) {
    Block *b = &blocks[(from + i) % n];
    if (b->live && !b->ready.empty()) return b;
  }
  return nullptr;
}

// first_lane returns the first thread of a warp that can run, of which one can.
Thread *first_lane(Thread *t) {
  Thread *lane = t - t->actor.thread % 32;
  while (lane->state != State::ready) lane++;
  return lane;
}

// choose picks the next thread, or null where none can run.
Thread *choose(bool yielding) {
  if (stopped) return nullptr;
  Block *b = active;
  bool leave = !b || !b->live || b->ready.empty();
  if (!leave && blocks.size() > 1 && (yielding || launch.check)) leave = !launch.shuffled || chance() % 8 == 0;
  if (leave) b = another();
  if (!b) return nullptr;
  Thread *t = b->ready.look(launch.shuffled ? chance() : 0);
  if (!launch.any_lane && spin_count < patience) t = first_lane(t);
  b->ready.remove(t);
  return t;
}

void resume(Thread *next) {
  Thread *self = current;
  if (next == self) return;
  if (!next) {
    current = nullptr;
    change(self->fiber, main_fiber);
    return;
  }
  activate(next->block);
  current = next;
  change(self ? self->fiber : main_fiber, next->fiber);
}

void make_ready(Thread *t) {
  t->state = State::ready;
  t->block->ready.add(t);
}

// meet lets every waiting thread know what all of them know.
void meet(Block *b) {
  std::vector<ClockRef> known;
  for (Thread &t : b->threads)
    if (t.state != State::done && t.actor.known && (known.empty() || known.back() != t.actor.known)) known.push_back(t.actor.known);
  std::uint32_t epoch = b->threads[0].actor.epoch + 1;
  ClockRef all = known.empty() ? nullptr : join_all(known, b->number, epoch);
  for (Thread &t : b->threads) {
    t.actor.known = all;
    t.actor.epoch = epoch;
  }
}

void release_barrier(Block *b) {
  if (launch.check && b->alive < launch.block) report("exit-before-barrier", {b->barrier_line, b->number, b->ended}, 1);
  int vote = b->barrier_op == BarrierAnd;
  for (Thread &t : b->threads) {
    if (t.state != State::barrier) continue;
    switch (b->barrier_op) {
      case BarrierOr: vote |= t.vote != 0; break;
      case BarrierAnd: vote &= t.vote != 0; break;
      case BarrierCount: vote += t.vote != 0; break;
    }
  }
  if (launch.check) meet(b);
  b->waiting = 0;
  for (Thread &t : b->threads)
    if (t.state == State::barrier) {
      t.result = vote;
      make_ready(&t);
    }
}

// body is what a fiber runs.
void body() {
  launch.call(launch.arguments);
  Thread *self = current;
  Block *b = self->block;
  self->state = State::done;
  b->alive--;
  progressed();
  b->ended = self->actor.thread;
  if (b->alive > 0 && b->waiting == b->alive) release_barrier(b);
  if (b->alive == 0) {
    check_copies();
    b->live = false;
    resume(nullptr);
  }
  resume(choose(false));
  std::abort();
}

void begin(Block *b, std::uint32_t number) {
  b->number = number;
  b->live = true;
  b->alive = launch.block;
  b->waiting = 0;
  b->ready.reset(launch.block);
  b->bulk = Bulk{};
  if (active == b) active = nullptr;
  if (b->saved.size() > 0) scramble(b->saved.data(), b->saved.size(), launch.seed ^ number);
  if (launch.check) {
    for (std::size_t i = 0; i <= launch.arrays.size(); i++) {
      std::size_t bytes = i < launch.arrays.size() ? launch.arrays[i].bytes : launch.dynamic_bytes;
      b->shadows[i].reset(bytes);
      b->written[i].reset(bytes, false);
    }
  }
  for (unsigned i = 0; i < launch.block; i++) {
    Thread &t = b->threads[i];
    t.block = b;
    t.actor = Actor{};
    t.actor.block = number;
    t.actor.thread = i;
    t.site = 0;
    t.error = 0;
    // Stacks that begin at one place of a page would meet in the host's cache.
    prepare(t.fiber, t.stack, stack_bytes - i % 32 * 128, body);
    make_ready(&t);
  }
  progressed();
}

// Stacks stay for the next launch.
struct Stacks {
  char *memory = nullptr;
  std::size_t count = 0;
} stacks;
const std::size_t page = sysconf(_SC_PAGESIZE);

char *stack(std::size_t i) { return stacks.memory + i * (stack_bytes + page) + page; }

bool reserve_stacks(std::size_t count) {
  if (count <= stacks.count) return true;
  if (stacks.memory) munmap(stacks.memory, stacks.count * (stack_bytes + page));
  void *memory = mmap(nullptr, count * (stack_bytes + page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  stacks = {};
  if (memory == MAP_FAILED) return false;
  stacks = {static_cast<char *>(memory), count};
  for (std::size_t i = 0; i < count; i++) mprotect(stack(i) - page, page, PROT_NONE);
  return true;
}

void make_places() {
  // In checks some launches run few blocks at once: then those that wait for
  // later ones are stuck soonest.
  std::size_t places = launch.resident;
  if (launch.check && !launch.cooperative) places = 1 + chance() % launch.resident;
  places = std::min<std::size_t>(places, launch.grid);
  if (!reserve_stacks(places * launch.block)) {
    report("no-memory", {std::int64_t(places), launch.block}, 0);
    stopped = true;
    return;
  }
  std::size_t shared = launch.dynamic_bytes;
  for (const SharedArray &a : launch.arrays) shared += a.bytes;
  blocks.clear();
  blocks.resize(places);
  for (std::size_t i = 0; i < places; i++) {
    Block &b = blocks[i];
    b.saved.resize(shared);
    b.shadows.resize(launch.arrays.size() + 1);
    b.written.resize(launch.arrays.size() + 1);
    b.threads.resize(launch.block);
    for (unsigned t = 0; t < launch.block; t++) b.threads[t].stack = stack(i * launch.block + t);
  }
}

// order chooses the order in which blocks start: a stride through all of them.
// That of their numbers is for kernels that rely on it.
void order() {
  started = first_block = 0;
  block_stride = 1;
  if (!launch.shuffled || launch.in_order || launch.grid < 2) return;
  first_block = 1 + chance() % (launch.grid - 1);
  if (chance() % 2 == 0) {  // the other way round
    first_block = block_stride = launch.grid - 1;
    return;
  }
  do block_stride = 1 + chance() % (launch.grid - 1);
  while (std::gcd(block_stride, std::uint64_t(launch.grid)) != 1);
}

std::uint32_t next_block() { return (first_block + started++ * block_stride) % launch.grid; }

void report_stuck() {
  for (Block &b : blocks) {
    if (!b.live) continue;
    for (Thread &t : b.threads) {
      if (t.state == State::warp) {
        // Which lane of the mask is missing, and why?
        std::uint32_t first = t.actor.thread & ~31u;
        for (unsigned lane = 0; lane < 32; lane++) {
          if (!(t.mask >> lane & 1)) continue;
          std::uint32_t other = first + lane;
          if (other >= b.threads.size()) {
            report("warp-missing", {t.site, t.op, t.mask, b.number, t.actor.thread, other, -1, 0, 0}, 2);
            break;
          }
          Thread &o = b.threads[other];
          if (o.state == State::warp && o.mask == t.mask && o.op == t.op) continue;
          report("warp-missing", {t.site, t.op, t.mask, b.number, t.actor.thread, other, int(o.state), o.state == State::barrier ? b.barrier_line : o.site, o.mask}, 2);
          break;
        }
      } else if (t.state == State::barrier) {
        report("barrier-stuck", {b.barrier_line, b.number, t.actor.thread, b.waiting, b.alive}, 1);
      }
    }
  }
}

}  // namespace

std::uint32_t chance() {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return std::uint32_t(random_state >> 24);
}

std::uint64_t steps() { return step_count; }

namespace {

void run_grid() {
  random_state = (launch.seed + 1) * 0x9E3779B97F4A7C15ull | 1;
  for (int i = 0; i < 8; i++) chance();
  stopped = false;
  step_count = spin_count = 0;
  current = nullptr;
  active = nullptr;
  number_of_launch++;
  quantum = next_quantum();
  make_places();
  order();
  while (!stopped) {
    bool live = false, ready = false;
    for (Block &b : blocks) {
      if (!b.live && started < launch.grid) begin(&b, next_block());
      live |= b.live;
      ready |= b.live && !b.ready.empty();
    }
    if (!live) break;
    if (!ready) {
      report_stuck();
      stopped = true;
    }
    resume(choose(false));
  }
  current = nullptr;
  blocks.clear();
}

}  // namespace

void run() {
  children.clear();
  run_grid();
  while (!children.empty() && !stopped) {
    Child child = std::move(children.front());
    children.pop_front();
    std::vector<void *> arguments;
    for (std::uint64_t &a : child.arguments) arguments.push_back(&a);
    launch.call = child.call, launch.arguments = arguments.data();
    launch.grid = child.grid, launch.block = child.block;
    launch.arrays.clear(), launch.dynamic_bytes = 0;
    launch.cooperative = launch.in_order = false;
    launch.seed++;
    run_grid();
  }
}

bool launch_child(void (*call)(void **), std::uint32_t grid, std::uint32_t block, const std::uint64_t *arguments, std::size_t count) {
  // In checks a thread is refused by chance, as it has to expect.
  if (children.size() >= children_most || (launch.check && chance() % 4 == 0)) return false;
  children.push_back({call, grid, block, {arguments, arguments + count}});
  return true;
}

void stop() {
  stopped = true;
  resume(nullptr);
  std::abort();
}

void yield() {
  quantum = next_quantum();
  Thread *self = current;
  make_ready(self);
  resume(choose(true));
}

void give_way() { resume(choose(false)); }

void step() {
  step_count++;
  if (--quantum == 0) yield();
}

void progressed() { spin_count = 0; }

void spun() {
  if (++spin_count < spins_most || !launch.check) return;
  Thread *t = current;
  report("livelock", {t->site, t->actor.block, t->actor.thread}, 1);
  // Where are the others?
  for (Block &b : blocks)
    if (b.live)
      for (Thread &o : b.threads)
        if (o.state == State::ready && o.site) report("livelock", {o.site, o.actor.block, o.actor.thread}, 1);
  stop();
}

int wait_barrier(int op, int vote, int line) {
  Thread *self = current;
  Block *b = self->block;
  if (!b->bulk.copies.empty()) advance_copies();  // which may be done by now, or not
  if (b->waiting > 0 && launch.check) {
    if (b->barrier_line != line)
      report("barrier-lines", {line, b->barrier_line, b->number, self->actor.thread}, 2);
    else if (b->barrier_op != op)
      report("barrier-lines", {line, line, b->number, self->actor.thread}, 2);
  }
  self->state = State::barrier;
  self->vote = vote;
  b->barrier_line = line;
  b->barrier_op = op;
  if (++b->waiting == b->alive) release_barrier(b);
  give_way();
  return int(self->result);
}

bool on_stack(const volatile void *p) {
  auto c = static_cast<const volatile char *>(p);
  return c >= current->stack && c < current->stack + stack_bytes;
}

int shared_array(const volatile void *p, std::size_t &offset) {
  auto c = static_cast<const volatile char *>(p);
  if (c >= launch.section && c < launch.section + launch.section_bytes) {
    std::size_t at = c - launch.section;
    auto next = std::upper_bound(launch.arrays.begin(), launch.arrays.end(), at,
                                 [](std::size_t wanted, const SharedArray &a) { return wanted < a.offset; });
    if (next == launch.arrays.begin()) return -1;
    const SharedArray &a = next[-1];
    offset = at - a.offset;
    return offset < a.bytes ? int(next - 1 - launch.arrays.begin()) : -1;
  }
  if (c >= dynamic_shared && c < dynamic_shared + launch.dynamic_bytes) {
    offset = c - dynamic_shared;
    return int(launch.arrays.size());
  }
  return -1;
}

std::uint32_t site_of(const void *return_address) {
  return std::uint32_t(static_cast<const char *>(return_address) - launch.module_begin - 1);
}

}  // namespace cudaemu
