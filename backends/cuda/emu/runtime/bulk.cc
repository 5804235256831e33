#include "bulk.h"

#include <cstring>

#include "machine.h"
#include "report.h"

namespace cudaemu {
namespace {

// Shared addresses begin here, so that 0 is none; the dynamic part lies apart.
constexpr std::uint32_t static_base = 1 << 20, dynamic_base = 1 << 30;
// A copy is an actor of its own, one for each mbarrier; its time is the phase.
constexpr std::uint32_t first_copier = 1 << 20;
constexpr std::uint32_t unit = 16;  // of a copy: bytes

Bulk &bulk() { return current->block->bulk; }

// pointer_of returns what a shared address stands for.
char *pointer_of(std::uint32_t address) {
  return address >= dynamic_base ? dynamic_shared + (address - dynamic_base) : launch.section + (std::int64_t(address) - static_base);
}

[[noreturn]] void refuse(const char *kind, std::int64_t detail) {
  report(kind, {current->site, detail, current->actor.block, current->actor.thread}, 1);
  stop();
}

// barrier_at finds an mbarrier; its use is an atomic access of its word.
Mbarrier &barrier_at(std::uint32_t address) {
  auto at = bulk().barriers.find(address);
  if (at == bulk().barriers.end()) refuse("mbarrier-none", 0);
  if (launch.check) check_access(current->actor, pointer_of(address), 8, 8, {current->site, true, true});
  return at->second;
}

// complete ends the phase where nothing is missing.
void complete(Mbarrier &b) {
  if (b.missing > 0 || b.bytes != 0) return;
  b.phase++;
  b.missing = b.count;
  b.done = join(b.done, b.arriving);
  b.arriving = nullptr;
  progressed();
}

// copy does a copy.
void copy(const Copy &c) {
  Mbarrier &b = bulk().barriers.at(c.barrier);
  if (launch.check) {
    check_access(c.actor, c.from, c.bytes, unit, {c.site, false, false});
    check_access(c.actor, c.to, c.bytes, unit, {c.site, true, false});
    b.arriving = with(b.arriving, c.actor.block, 0, {{c.actor.id(), endless_epoch, c.actor.time}});
  }
  std::memcpy(c.to, c.from, c.bytes);
  b.bytes -= c.bytes;
  complete(b);
}

}  // namespace

std::uint32_t shared_address(const void *p) {
  auto c = static_cast<const char *>(p);
  if (c >= dynamic_shared && c < dynamic_shared + dynamic_most) return dynamic_base + std::uint32_t(c - dynamic_shared);
  return static_base + std::uint32_t(c - launch.section);
}

void mbarrier_init(std::uint32_t address, std::uint32_t count) {
  if (launch.check) check_access(current->actor, pointer_of(address), 8, 8, {current->site, true, false});
  Bulk &all = bulk();
  std::uint32_t number = all.barriers.size();
  auto [at, added] = all.barriers.emplace(address, Mbarrier{});
  if (!added) number = at->second.number;
  at->second = Mbarrier{number, count, count, 0, 0, nullptr, nullptr};
}

void mbarrier_arrive(std::uint32_t address, std::uint32_t bytes) {
  yield();
  Mbarrier &b = barrier_at(address);
  if (b.missing == 0) refuse("mbarrier-arrivals", b.count);
  Actor &a = current->actor;
  if (launch.check) {
    b.arriving = join(b.arriving, with(a.known, a.block, a.epoch, {{a.id(), a.epoch, a.time}}));
    a.time++;
  }
  b.bytes += bytes;
  b.missing--;
  complete(b);
}

bool mbarrier_wait(std::uint32_t address, std::uint32_t parity) {
  yield();
  advance_copies();
  Mbarrier &b = barrier_at(address);
  if ((b.phase & 1) == (parity & 1)) {
    spun();
    return false;
  }
  if (launch.check) current->actor.known = join(current->actor.known, b.done);
  return true;
}

void bulk_load(std::uint32_t to, const void *from, std::uint32_t bytes, std::uint32_t address) {
  char *target = pointer_of(to);
  if (bytes % unit || std::uintptr_t(target) % unit || std::uintptr_t(from) % unit) refuse("bulk-alignment", bytes);
  Mbarrier &b = barrier_at(address);
  Actor actor = current->actor;
  if (launch.check) {
    actor.known = with(actor.known, actor.block, actor.epoch, {{actor.id(), actor.epoch, actor.time}});
    current->actor.time++;
  }
  actor.thread = first_copier + b.number * 32;
  actor.asynchronous = true;
  actor.time = b.phase + 1;
  bulk().copies.push_back({target, static_cast<const char *>(from), bytes, address, current->site, actor});
  progressed();
}

void advance_copies() {
  std::deque<Copy> &copies = bulk().copies;
  // Copies overtake each other, and one that nobody waits for may come late.
  while (!copies.empty() && (!launch.shuffled || chance() % 4 == 0)) {
    std::size_t i = launch.shuffled ? chance() % copies.size() : 0;
    Copy c = copies[i];
    copies.erase(copies.begin() + i);
    copy(c);
  }
}

void check_copies() {
  if (!launch.check) return;
  for (const Copy &c : bulk().copies) report("bulk-unfinished", {c.site, c.bytes, current->actor.block, current->actor.thread}, 1);
}

}  // namespace cudaemu
