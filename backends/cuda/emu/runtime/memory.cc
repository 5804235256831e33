#include "memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <memory>

namespace cudaemu {

std::size_t memory_limit = 0;

namespace {

std::map<std::int64_t, std::unique_ptr<Allocation>> by_number;
std::map<const char *, Allocation *> by_end;  // keyed by the last usable byte
Allocation *last = nullptr;
std::size_t in_use = 0;
std::int64_t next_number = 1;
const std::size_t page = sysconf(_SC_PAGESIZE);

std::size_t round_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

bool holds(const Allocation *a, const char *p) { return p >= a->data && p < a->data + a->usable; }

}  // namespace

Allocation *allocate(std::size_t bytes, bool constant, std::uint64_t seed) {
  if (bytes > memory_limit || in_use > memory_limit - bytes) return nullptr;
  std::size_t usable = round_up(bytes, 8), inner = round_up(usable, page), mapped = inner + 2 * page;
  void *pages = mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  auto a = std::make_unique<Allocation>();
  a->number = next_number;
  a->pages = static_cast<char *>(pages);
  a->mapped = mapped;
  if (mprotect(a->pages + page, inner, PROT_READ | PROT_WRITE) != 0) {
    munmap(pages, mapped);
    return nullptr;
  }
  // The end lies at a guard page, as far as the alignment of vectors allows.
  a->data = a->pages + page + (inner - round_up(usable, 16));
  a->bytes = bytes;
  a->usable = usable;
  a->constant = constant;
  a->written.reset(usable, constant);
  a->written.set(bytes, usable - bytes);
  if (!constant) scramble(a->data, usable, seed);
  in_use += bytes;
  Allocation *raw = a.get();
  by_end[raw->data + usable - 1] = raw;
  by_number[next_number++] = std::move(a);
  return raw;
}

void release(Allocation *a) {
  if (last == a) last = nullptr;
  in_use -= a->bytes;
  munmap(a->pages, a->mapped);
  by_end.erase(a->data + a->usable - 1);
  by_number.erase(a->number);
}

Allocation *allocation(std::int64_t number) {
  auto at = by_number.find(number);
  return at == by_number.end() ? nullptr : at->second.get();
}

Allocation *allocation_at(const volatile void *address) {
  auto p = const_cast<const char *>(static_cast<const volatile char *>(address));
  if (last && holds(last, p)) return last;
  auto at = by_end.lower_bound(p);
  if (at == by_end.end() || !holds(at->second, p)) return nullptr;
  return last = at->second;
}

Allocation *allocation_near(const volatile void *address) {
  auto p = const_cast<const char *>(static_cast<const volatile char *>(address));
  for (auto &[number, a] : by_number)
    if (p >= a->pages && p < a->pages + a->mapped) return a.get();
  return nullptr;
}

void seal(Allocation *a) { mprotect(a->pages + page, a->mapped - 2 * page, PROT_READ); }

void scramble(char *data, std::size_t bytes, std::uint64_t seed) {
  std::uint64_t pattern = (seed + 1) * 0x9E3779B97F4A7C15ull | 0x8001000100010001ull;
  for (; bytes >= 8; data += 8, bytes -= 8) std::memcpy(data, &pattern, 8);
  std::memcpy(data, &pattern, bytes);
}

}  // namespace cudaemu
