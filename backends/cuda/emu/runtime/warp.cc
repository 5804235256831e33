// Warp operations: lanes wait for each other and exchange words.
#include "cudaops.h"
#include "machine.h"
#include "report.h"

namespace cudaemu {
namespace {

constexpr unsigned lanes_of_warp = 32;

std::uint32_t reduce(int op, std::uint32_t a, std::uint32_t b) {
  switch (op) {
    case AddU32: return a + b;
    case MinU32: return a < b ? a : b;
    case MaxU32: return a > b ? a : b;
    case MinS32: return std::int32_t(a) < std::int32_t(b) ? a : b;
    case MaxS32: return std::int32_t(a) > std::int32_t(b) ? a : b;
    case AndU32: return a & b;
    case OrU32: return a | b;
    default: return a ^ b;
  }
}

// votes has the bit of each lane of the mask whose value passes.
template <class F> unsigned votes(Thread *warp, unsigned mask, F passes) {
  unsigned result = 0;
  for (unsigned i = 0; i < lanes_of_warp; i++)
    if (mask >> i & 1 && passes(warp[i].value)) result |= 1u << i;
  return result;
}

// exchange computes every lane's result.
void exchange(Thread *warp, unsigned mask, int op) {
  auto is_true = [](std::uint64_t v) { return v != 0; };
  unsigned first = __builtin_ctz(mask);
  std::uint32_t reduced = std::uint32_t(warp[first].value);
  if (op >= AddU32)
    for (unsigned i = first + 1; i < lanes_of_warp; i++)
      if (mask >> i & 1) reduced = reduce(op, reduced, std::uint32_t(warp[i].value));
  for (unsigned i = 0; i < lanes_of_warp; i++) {
    if (!(mask >> i & 1)) continue;
    Thread &t = warp[i];
    switch (op) {
      case SyncWarp: break;
      case Shuffle:
        if (mask >> t.source & 1) t.result = warp[t.source].value;
        else report("shuffle-source", {t.site, t.source, mask, t.actor.block, t.actor.thread}, 1);
        break;
      case Ballot: t.result = votes(warp, mask, is_true); break;
      case All: t.result = votes(warp, mask, is_true) == mask; break;
      case Any: t.result = votes(warp, mask, is_true) != 0; break;
      case MatchAny: t.result = votes(warp, mask, [&](std::uint64_t v) { return v == t.value; }); break;
      case MatchAll: t.result = votes(warp, mask, [&](std::uint64_t v) { return v == t.value; }) == mask ? mask : 0; break;
      default: t.result = reduced;
    }
  }
}

// meet lets the lanes know what each of them knows. Of all warp operations
// only __syncwarp orders accesses to memory.
void meet(Thread *warp, unsigned mask) {
  ClockRef known;
  std::vector<Known> did;
  Actor *any = nullptr;
  for (unsigned i = 0; i < lanes_of_warp; i++) {
    if (!(mask >> i & 1)) continue;
    any = &warp[i].actor;
    known = join(known, any->known);
    did.push_back({any->id(), any->epoch, any->time});
  }
  known = with(known, any->block, any->epoch, did);
  for (unsigned i = 0; i < lanes_of_warp; i++)
    if (mask >> i & 1) {
      warp[i].actor.known = known;
      warp[i].actor.time++;
    }
}

// complete lets the lanes of a mask go on once all have come. A lane that waits
// with another mask may still come after others have gone: only where nothing
// can run any more is it an error.
void complete(Thread *self) {
  Block *b = self->block;
  std::uint32_t first = self->actor.thread & ~(lanes_of_warp - 1);
  Thread *warp = &b->threads[first];
  for (unsigned i = 0; i < lanes_of_warp; i++) {
    if (!(self->mask >> i & 1)) continue;
    if (first + i >= b->threads.size()) return;
    if (warp[i].state != State::warp || warp[i].mask != self->mask) return;
    if (warp[i].op != self->op) {
      report("warp-operations", {self->site, self->op, warp[i].site, warp[i].op, self->mask, b->number}, 2);
      stop();
    }
  }
  exchange(warp, self->mask, self->op);
  if (launch.check && self->op == SyncWarp) meet(warp, self->mask);
  for (unsigned i = 0; i < lanes_of_warp; i++)
    if (self->mask >> i & 1) {
      warp[i].state = State::ready;
      b->ready.add(&warp[i]);
    }
}

}  // namespace

std::uint64_t wait_warp(int op, unsigned mask, std::uint64_t value, unsigned source) {
  Thread *self = current;
  if (!(mask >> self->actor.thread % lanes_of_warp & 1)) {
    report("warp-mask", {self->site, op, mask, self->actor.block, self->actor.thread}, 1);
    stop();
  }
  self->state = State::warp;
  self->op = op;
  self->mask = mask;
  self->value = value;
  self->source = source;
  complete(self);
  give_way();
  return self->result;
}

}  // namespace cudaemu
