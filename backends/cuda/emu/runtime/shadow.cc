#include "shadow.h"

#include <algorithm>

namespace cudaemu {
namespace {

constexpr std::size_t largest_granule = 16;

Record record_of(const Actor &a, Access access) {
  return {a.block, a.thread / 32, 1u << a.thread % 32, a.asynchronous ? endless_epoch : a.epoch, a.time, access};
}

bool same_moment(const Record &r, const Record &s) {
  return r.block == s.block && r.warp == s.warp && r.epoch == s.epoch && r.time == s.time &&
         r.access.atomic == s.access.atomic && r.access.writes == s.access.writes;
}

// ordered reports whether the actor knows all that the record stands for.
bool ordered(const Record &r, const Actor &a) {
  if (r.block == a.block) {
    if (r.epoch < a.epoch) return true;
  } else if (a.known && a.known->knows_epoch(r.block, r.epoch)) {
    return true;
  }
  for (std::uint32_t lanes = r.lanes; lanes; lanes &= lanes - 1) {
    std::uint32_t thread = r.warp * 32 + __builtin_ctz(lanes);
    if (r.block == a.block && thread == a.thread) continue;
    if (!a.known || !a.known->knows(thread_id(r.block, thread), r.time)) return false;
  }
  return true;
}

void note(const Record &r, const Actor &a, Conflict &conflict) {
  if (r.lanes && !conflict.found && !ordered(r, a)) conflict = {true, r};
}

// keep adds a record to those of other threads or moments.
void keep(std::vector<Record> &list, const Record &mine) {
  // What this warp did last stands near the end, if anywhere.
  for (std::size_t i = list.size(); i-- > 0 && list.size() - i <= 40;)
    if (same_moment(list[i], mine)) {
      list[i].lanes |= mine.lanes;
      return;
    }
  list.push_back(mine);
}

}  // namespace

void Shadow::reset(std::size_t bytes) {
  bytes_ = bytes;
  granule_ = 0;
  cells_.clear();
  more_.clear();
}

// shrink makes the granule divide what is accessed.
void Shadow::shrink(std::size_t offset, std::size_t size) {
  std::size_t wanted = largest_granule;
  while (offset % wanted || size % wanted) wanted /= 2;
  if (granule_ && granule_ <= wanted) return;
  if (!granule_) {
    cells_.resize((bytes_ + wanted - 1) / wanted);
  } else {
    std::size_t parts = granule_ / wanted, count = (bytes_ + wanted - 1) / wanted;
    std::vector<Cell> finer(count);
    for (std::size_t i = 0; i < count; i++) {
      finer[i] = cells_[i / parts];
      if (finer[i].more && i % parts) {
        more_.push_back(more_[finer[i].more - 1]);
        finer[i].more = more_.size();
      }
    }
    cells_ = std::move(finer);
  }
  granule_ = wanted;
}

Shadow::More &Shadow::more(Cell &cell) {
  if (!cell.more) {
    more_.emplace_back();
    cell.more = more_.size();
  }
  return more_[cell.more - 1];
}

Conflict Shadow::touch(const Actor &actor, std::size_t offset, std::size_t size, Access access) {
  if (!granule_ || offset % granule_ || size % granule_) shrink(offset, size);
  Conflict conflict;
  for (std::size_t i = offset / granule_, end = (offset + size) / granule_; i < end; i++)
    touch_cell(cells_[i], actor, access, conflict);
  return conflict;
}

void Shadow::touch_cell(Cell &cell, const Actor &actor, Access access, Conflict &conflict) {
  Record mine = record_of(actor, access);
  More *more = cell.more ? &more_[cell.more - 1] : nullptr;
  note(cell.write, actor, conflict);
  if (access.atomic) {
    // Atomics race with plain accesses, not with each other.
    if (access.writes) {
      note(cell.read, actor, conflict);
      if (more) for (const Record &r : more->reads) note(r, actor, conflict);
    }
    keep(this->more(cell).atomics, mine);
    return;
  }
  if (more)
    for (const Record &r : more->atomics)
      if (access.writes || r.access.writes) note(r, actor, conflict);
  if (!access.writes) {
    // A reader that knows of an earlier one stands for both: what conflicts
    // with the earlier one, and is not yet there, conflicts with this one.
    if (!cell.read.lanes || ordered(cell.read, actor)) cell.read = mine;
    else if (same_moment(cell.read, mine)) cell.read.lanes |= mine.lanes;
    else keep(this->more(cell).reads, mine);
    return;
  }
  note(cell.read, actor, conflict);
  if (more) {
    for (const Record &r : more->reads) note(r, actor, conflict);
    more->reads.clear();
    more->atomics.clear();
  }
  cell.write = mine;
  cell.read = Record{};
}

void Shadow::acquire(Actor &actor, std::size_t offset) {
  const Cell &cell = cells_[offset / granule_];
  if (!cell.more) return;
  const More &m = more_[cell.more - 1];
  actor.acquired_device = join(actor.acquired_device, m.device);
  if (m.block && m.owner == actor.block) actor.acquired_block = join(actor.acquired_block, m.block);
}

void Shadow::release(const Actor &actor, std::size_t offset, bool replaces) {
  More &m = more(cells_[offset / granule_]);
  m.device = replaces ? actor.released_device : join(m.device, actor.released_device);
  m.block = replaces || m.owner != actor.block ? actor.released_block : join(m.block, actor.released_block);
  m.owner = actor.block;
}

void Bits::reset(std::size_t bytes, bool set) { words_.assign((bytes + 63) / 64, set ? ~std::uint64_t(0) : 0); }

void Bits::set(std::size_t offset, std::size_t size) {
  for (std::size_t i = offset, end = offset + size; i < end;) {
    std::size_t in = i % 64, n = std::min<std::size_t>(64 - in, end - i);
    words_[i / 64] |= (n == 64 ? ~std::uint64_t(0) : ((std::uint64_t(1) << n) - 1)) << in;
    i += n;
  }
}

std::size_t Bits::first_unset(std::size_t offset, std::size_t size) const {
  for (std::size_t i = offset, end = offset + size; i < end;) {
    std::size_t in = i % 64, n = std::min<std::size_t>(64 - in, end - i);
    std::uint64_t unset = ~words_[i / 64] >> in;
    if (n < 64) unset &= (std::uint64_t(1) << n) - 1;
    if (unset) return i + __builtin_ctzll(unset);
    i += n;
  }
  return offset + size;
}

}  // namespace cudaemu
