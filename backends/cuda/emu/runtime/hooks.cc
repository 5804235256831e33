// What emitted text calls: the functions of cudaemu.h, and the hooks that the
// compiler puts before every access to memory. -fsanitize=thread makes it call
// __tsan_*, which are defined here instead of in a library; -fsanitize-coverage
// makes it call __sanitizer_cov_trace_pc in every basic block.
#include <cstring>

#include "bulk.h"
#include "cudaops.h"
#include "machine.h"
#include "memory.h"
#include "report.h"

#define API extern "C" __attribute__((visibility("default")))
#define CALLER __builtin_return_address(0)

namespace cudaemu {
namespace {

enum Space : std::int64_t { global, shared };

// Place is what lies at an address.
struct Place {
  Space space = global;
  std::int64_t id = -1;  // number of an allocation; index of a shared array
  std::int64_t offset = 0;
  Shadow *shadow = nullptr;  // null where nothing may be accessed
  Bits *written = nullptr;
};

Place locate(const volatile void *p, std::size_t size, bool atomic) {
  Place place;
  std::size_t offset;
  Block *b = current->block;
  auto c = static_cast<const volatile char *>(p);
  if (int i = shared_array(p, offset); i >= 0) {
    std::size_t bytes = std::size_t(i) < launch.arrays.size() ? launch.arrays[i].bytes : launch.dynamic_bytes;
    place = {shared, i, std::int64_t(offset), nullptr, nullptr};
    if (offset + size <= bytes) place.shadow = &b->shadows[i], place.written = &b->written[i];
    return place;
  }
  if (c >= launch.section && c < launch.section + launch.section_bytes) return {shared, -1, c - launch.section, nullptr, nullptr};
  if (c >= dynamic_shared && c < dynamic_shared + dynamic_most) return {shared, std::int64_t(launch.arrays.size()), c - dynamic_shared, nullptr, nullptr};
  if (Allocation *a = allocation_at(p)) {
    place = {global, a->number, c - a->data, nullptr, nullptr};
    if (std::size_t(place.offset) + size <= (atomic ? a->usable : a->bytes)) {
      if (a->launch != number_of_launch) a->shadow.reset(a->usable), a->launch = number_of_launch;
      place.shadow = &a->shadow, place.written = &a->written;
    }
    return place;
  }
  if (Allocation *a = allocation_near(p)) return {global, a->number, c - a->data, nullptr, nullptr};
  return place;
}

bool in_module(const volatile void *p) {
  auto c = static_cast<const volatile char *>(p);
  return c >= launch.module_begin && c < launch.module_end && !(c >= launch.section && c < launch.section + launch.section_bytes);
}

void report_race(const Place &place, const Actor &a, const Conflict &conflict, Access mine, std::size_t size) {
  const Record &r = conflict.earlier;
  auto kind = [](Access x) { return std::int64_t(x.writes) | std::int64_t(x.atomic) << 1; };
  std::int64_t there = r.warp * 32 + __builtin_ctz(r.lanes);
  if (r.access.site <= mine.site)
    report("race", {place.space, place.id, r.access.site, kind(r.access), mine.site, kind(mine), place.offset, std::int64_t(size), r.block, there, a.block, a.thread}, 6);
  else
    report("race", {place.space, place.id, mine.site, kind(mine), r.access.site, kind(r.access), place.offset, std::int64_t(size), a.block, a.thread, r.block, there}, 6);
}

// check looks at an access that is about to happen; places outside all arrays
// end the launch, since the access itself would do harm.
Place check(const Actor &a, const volatile void *p, std::size_t size, Access access, bool reads) {
  Place place = locate(p, size, access.atomic);
  if (!place.shadow) {
    if (place.id < 0 && place.space == global && in_module(p)) return place;  // a constant table
    report("bounds", {access.site, access.writes, place.space, place.id, place.offset, std::int64_t(size), a.block, a.thread}, 4);
    stop();
  }
  if (reinterpret_cast<std::uintptr_t>(p) % (size < 16 ? size : 16)) {
    report("misaligned", {access.site, access.writes, place.space, place.id, place.offset, std::int64_t(size), a.block, a.thread}, 4);
    stop();
  }
  if (access.writes && place.space == global && allocation(place.id)->constant) {
    report("constant", {access.site, place.id, place.offset, std::int64_t(size), a.block, a.thread}, 2);
    stop();
  }
  if (reads && !place.written->all(place.offset, size))
    report("unwritten", {access.site, place.space, place.id, std::int64_t(place.written->first_unset(place.offset, size)), a.block, a.thread}, 3);
  Conflict conflict = place.shadow->touch(a, place.offset, size, access);
  if (conflict.found) report_race(place, a, conflict, access, size);
  if (access.writes) place.written->set(place.offset, size);
  if (enough_reports()) stop();
  return place;
}

void plain(const volatile void *p, std::size_t size, bool writes, const void *at) {
  if (!current || !launch.check || on_stack(p)) return;
  std::uint32_t site = current->site = site_of(at);
  step();
  if (check(current->actor, p, size, {site, writes, false}, !writes).space == global) progressed();
}

void atomic(const volatile void *p, std::size_t size, int op, const void *at) {
  if (!current) return;
  std::uint32_t site = current->site = site_of(at);
  if (!launch.check || on_stack(p)) return;
  yield();
  Actor &a = current->actor;
  Place place = check(a, p, size, {site, op != AtomicLoad, true}, op != AtomicStore);
  if (!place.shadow) return;
  if (op != AtomicStore) place.shadow->acquire(a, place.offset);
  if (op != AtomicLoad) place.shadow->release(a, place.offset, op == AtomicStore);
  if (op == AtomicLoad) spun();
  if (op == AtomicStore && place.space == global) progressed();
}

// A range is looked at in pieces as large as its alignment allows.
void range(const volatile void *p, std::size_t size, bool writes, const void *at) {
  auto c = static_cast<const volatile char *>(p);
  while (size > 0) {
    std::size_t n = 16;
    while (n > size || reinterpret_cast<std::uintptr_t>(c) % n) n /= 2;
    plain(c, n, writes, at);
    c += n, size -= n;
  }
}

}  // namespace

void check_access(const Actor &a, const void *p, std::size_t size, std::size_t piece, Access access) {
  auto c = static_cast<const char *>(p);
  for (; size > 0; c += piece, size -= piece) check(a, c, piece, access, !access.writes || access.atomic);
}

}  // namespace cudaemu

using namespace cudaemu;

API unsigned cudaemu_thread_index() { return current->actor.thread; }
API unsigned cudaemu_block_index() { return current->actor.block; }
API unsigned cudaemu_block_size() { return launch.block; }
API unsigned cudaemu_grid_size() { return launch.grid; }
API char *cudaemu_dynamic_shared() { return dynamic_shared; }
API long long cudaemu_steps() { return steps(); }

API void cudaemu_child(void (*call)(void **), unsigned grid, unsigned block, const std::uint64_t *arguments, unsigned count) {
  current->site = site_of(CALLER);
  current->error = launch_child(call, grid, block, arguments, count) ? 0 : 69;  // cudaErrorLaunchPendingCountExceeded
  progressed();
}
API int cudaemu_last_error() {
  int error = current->error;
  current->error = 0;
  return error;
}

API int cudaemu_barrier(int op, int value, int line, const void *at) {
  current->site = site_of(at ? at : CALLER);
  return wait_barrier(op, value, line);
}

API std::uint64_t cudaemu_warp(int op, unsigned mask, std::uint64_t value, unsigned source, const void *at) {
  current->site = site_of(at ? at : CALLER);
  return wait_warp(op, mask, value, source);
}

// The lanes that happen to be active are anyone's guess.
API unsigned cudaemu_active_mask() { return chance() | 1u << current->actor.thread % 32; }

API void cudaemu_fence(int device, const void *at) {
  current->site = site_of(at ? at : CALLER);
  if (!launch.check) return;
  Actor &a = current->actor;
  a.known = join(a.known, a.acquired_block);
  if (device) a.known = join(a.known, a.acquired_device);
  ClockRef now = with(a.known, a.block, a.epoch, {{a.id(), a.epoch, a.time}});
  a.time++;
  a.released_block = now;
  if (device) a.released_device = now;
  yield();
}

API void cudaemu_atomic(const volatile void *p, unsigned size, int op, const void *at) { atomic(p, size, op, at); }

// An update that changes nothing is how some wait.
API void cudaemu_updated(const volatile void *p, int changed) {
  if (!launch.check || on_stack(p)) return;
  std::size_t offset;
  if (!changed) spun();
  else if (shared_array(p, offset) < 0) progressed();
}

API void cudaemu_pause(const void *at) {
  current->site = site_of(at ? at : CALLER);
  spun();
  yield();
}

API void cudaemu_trap(const void *at) {
  report("trap", {site_of(at ? at : CALLER), current->actor.block, current->actor.thread}, 1);
  stop();
}

API unsigned cudaemu_shared_address(const void *p) { return shared_address(p); }

API void cudaemu_mbarrier_init(unsigned barrier, unsigned count) {
  current->site = site_of(CALLER);
  mbarrier_init(barrier, count);
}

API void cudaemu_mbarrier_arrive(unsigned barrier, unsigned bytes) {
  current->site = site_of(CALLER);
  mbarrier_arrive(barrier, bytes);
}

API unsigned cudaemu_mbarrier_wait(unsigned barrier, unsigned parity) {
  current->site = site_of(CALLER);
  return mbarrier_wait(barrier, parity);
}

API void cudaemu_bulk_load(unsigned to, const void *from, unsigned bytes, unsigned barrier) {
  current->site = site_of(CALLER);
  bulk_load(to, from, bytes, barrier);
}

API void __sanitizer_cov_trace_pc() {
  if (!current) return;
  current->site = site_of(CALLER);
  step();
}

#define ACCESS(n) \
  API void __tsan_read##n(void *p) { plain(p, n, false, CALLER); } \
  API void __tsan_write##n(void *p) { plain(p, n, true, CALLER); } \
  API void __tsan_unaligned_read##n(void *p) { plain(p, n, false, CALLER); } \
  API void __tsan_unaligned_write##n(void *p) { plain(p, n, true, CALLER); } \
  API void __tsan_volatile_read##n(void *p) { atomic(p, n, AtomicLoad, CALLER); } \
  API void __tsan_volatile_write##n(void *p) { atomic(p, n, AtomicStore, CALLER); } \
  API void __tsan_unaligned_volatile_read##n(void *p) { atomic(p, n, AtomicLoad, CALLER); } \
  API void __tsan_unaligned_volatile_write##n(void *p) { atomic(p, n, AtomicStore, CALLER); }
ACCESS(1) ACCESS(2) ACCESS(4) ACCESS(8) ACCESS(16)
API void __tsan_init() {}
API void __tsan_func_entry(void *) {}
API void __tsan_func_exit() {}
API void __tsan_read_range(void *p, std::size_t n) { range(p, n, false, CALLER); }
API void __tsan_write_range(void *p, std::size_t n) { range(p, n, true, CALLER); }
// Copies of structures that the compiler leaves to the library.
API void *__tsan_memcpy(void *to, const void *from, std::size_t n) {
  range(from, n, false, CALLER);
  range(to, n, true, CALLER);
  return std::memcpy(to, from, n);
}
API void *__tsan_memset(void *to, int value, std::size_t n) {
  range(to, n, true, CALLER);
  return std::memset(to, value, n);
}
