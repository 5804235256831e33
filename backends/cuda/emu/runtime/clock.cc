#include "clock.h"

#include <algorithm>

namespace cudaemu {
namespace {

bool earlier(const Known &a, const Known &b) { return a.thread < b.thread; }

const Known *find(const Clock &clock, ThreadId thread) {
  auto at = std::lower_bound(clock.threads.begin(), clock.threads.end(), Known{thread, 0, 0}, earlier);
  return at != clock.threads.end() && at->thread == thread ? &*at : nullptr;
}

// covers reports whether a knows all that b knows.
bool covers(const Clock &a, const Clock &b) {
  for (std::size_t i = 0; i < b.blocks.size(); i++)
    if (b.blocks[i] > (i < a.blocks.size() ? a.blocks[i] : 0)) return false;
  for (const Known &k : b.threads) {
    if (a.knows_epoch(block_of(k.thread), k.epoch)) continue;
    const Known *mine = find(a, k.thread);
    if (!mine || mine->time < k.time) return false;
  }
  return true;
}

void add(Clock &to, const std::vector<Known> &threads) {
  std::vector<Known> merged;
  merged.reserve(to.threads.size() + threads.size());
  auto keep = [&](const Known &k) {
    if (!to.knows_epoch(block_of(k.thread), k.epoch)) merged.push_back(k);
  };
  auto a = to.threads.begin(), a_end = to.threads.end();
  auto b = threads.begin(), b_end = threads.end();
  while (a != a_end || b != b_end) {
    if (b == b_end || (a != a_end && a->thread < b->thread)) keep(*a++);
    else if (a == a_end || b->thread < a->thread) keep(*b++);
    else keep(a->time > b->time ? *a : *b), a++, b++;
  }
  to.threads = std::move(merged);
}

void raise(Clock &to, std::uint32_t block, std::uint32_t epoch) {
  if (epoch == 0) return;
  if (to.blocks.size() <= block) to.blocks.resize(block + 1);
  to.blocks[block] = std::max(to.blocks[block], epoch);
}

}  // namespace

bool Clock::knows(ThreadId thread, std::uint32_t time) const {
  const Known *k = find(*this, thread);
  return k && k->time >= time;
}

ClockRef join(const ClockRef &a, const ClockRef &b) {
  if (!b || a == b) return a;
  if (!a) return b;
  if (covers(*a, *b)) return a;
  if (covers(*b, *a)) return b;
  auto both = std::make_shared<Clock>(*a);
  for (std::size_t i = 0; i < b->blocks.size(); i++) raise(*both, i, b->blocks[i]);
  add(*both, b->threads);
  return both;
}

ClockRef join_all(const std::vector<ClockRef> &clocks, std::uint32_t block, std::uint32_t epoch) {
  ClockRef all;
  for (const ClockRef &c : clocks) all = join(all, c);
  return with(all, block, epoch, {});
}

ClockRef with(const ClockRef &clock, std::uint32_t block, std::uint32_t epoch, const std::vector<Known> &threads) {
  auto more = clock ? std::make_shared<Clock>(*clock) : std::make_shared<Clock>();
  raise(*more, block, epoch);
  add(*more, threads);
  return more;
}

}  // namespace cudaemu
