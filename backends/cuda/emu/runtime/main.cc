// The program that emulates: it answers requests on standard input, a line of
// words and numbers each, with bytes behind it where the request has some.
#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "cudaops.h"
#include "machine.h"
#include "memory.h"
#include "report.h"

using namespace cudaemu;

namespace {

// answer writes a line; what follows it is written by the caller.
void answer(const std::string &line) { std::printf("%s\n", line.c_str()); }

// fail ends the program: the other side broke the protocol.
[[noreturn]] void fail(const char *what) {
  std::fprintf(stderr, "cudaemu: %s\n", what);
  std::exit(2);
}

std::int64_t number() {
  std::int64_t n;
  if (std::scanf("%" SCNd64, &n) != 1) fail("a number is missing in a request");
  return n;
}

std::string word() {
  char w[4096];
  if (std::scanf("%4095s", w) != 1) fail("a word is missing in a request");
  return w;
}

// line ends the words of a request; bytes begin behind it.
void line() {
  if (std::getchar() != '\n') fail("a request is longer than it should be");
}

void receive(char *to, std::size_t n) {
  if (std::fread(to, 1, n, stdin) != n) fail("the bytes of a request are missing");
}

Allocation *known(std::int64_t number) {
  Allocation *a = allocation(number);
  if (!a) fail("there is no such allocation");
  return a;
}

void do_alloc() {
  std::int64_t bytes = number(), constant = number(), seed = number();
  line();
  Allocation *a = allocate(bytes, constant, seed);
  answer(a ? "ok " + std::to_string(a->number) : "full");
  if (a && constant) {
    std::fflush(stdout);
    receive(a->data, bytes);
    seal(a);
    answer("ok");
  }
}

void do_fill() {
  Allocation *a = known(number());
  std::int64_t size = number(), count = number();
  line();
  if (size < 1 || count < 0 || std::uint64_t(count) > a->bytes / size) fail("a fill beyond an allocation");
  std::vector<char> element(size);
  receive(element.data(), size);
  for (std::int64_t i = 0; i < count; i++) std::memcpy(a->data + i * size, element.data(), size);
  a->written.set(0, size * count);
  answer("ok");
}

void do_read() {
  Allocation *a = known(number());
  std::int64_t offset = number(), bytes = number();
  line();
  if (offset < 0 || bytes < 0 || std::uint64_t(offset) > a->bytes || std::uint64_t(bytes) > a->bytes - offset) fail("a read beyond an allocation");
  std::size_t unset = a->written.first_unset(offset, bytes);
  answer("ok " + std::to_string(unset == std::size_t(offset + bytes) ? -1 : std::int64_t(unset)));
  std::fwrite(a->data + offset, 1, bytes, stdout);
}

void do_load() {
  std::string path = word();
  line();
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    answer(std::string("refused ") + dlerror());
    return;
  }
  answer("ok " + std::to_string(reinterpret_cast<std::intptr_t>(handle)));
}

void *handle_of(std::int64_t n) { return reinterpret_cast<void *>(std::intptr_t(n)); }

int find_end(dl_phdr_info *info, std::size_t, void *out) {
  auto *begin = reinterpret_cast<const char *>(info->dlpi_addr);
  if (begin != launch.module_begin) return 0;
  const char *end = begin;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    auto *e = begin + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
    if (info->dlpi_phdr[i].p_type == PT_LOAD && e > end) end = e;
  }
  *static_cast<const char **>(out) = end;
  return 1;
}

// find_module fills in what a launch must know of its module.
const Entry *find_module(void *handle, const std::string &kernel) {
  auto *entry = static_cast<const Entry *>(dlsym(handle, ("cudaemu_entry_" + kernel).c_str()));
  if (!entry) return nullptr;
  Dl_info info;
  if (!dladdr(const_cast<Entry *>(entry), &info)) fail("a module without an address");
  launch.module_begin = static_cast<const char *>(info.dli_fbase);
  dl_iterate_phdr(find_end, &launch.module_end);
  auto **section = static_cast<char **>(dlsym(handle, "cudaemu_section"));
  launch.section = section[0];
  launch.section_bytes = section[1] - section[0];
  return entry;
}

volatile sig_atomic_t running;  // whether a launch is

void do_launch() {
  void *handle = handle_of(number());
  std::string kernel = word();
  launch.grid = number(), launch.block = number();
  launch.dynamic_bytes = number(), launch.resident = number();
  launch.cooperative = number(), launch.in_order = number();
  launch.check = number(), launch.shuffled = number(), launch.any_lane = number(), launch.seed = number();
  launch.arrays.resize(number());
  for (SharedArray &a : launch.arrays) a.offset = number(), a.bytes = number();
  std::vector<std::int64_t> kinds(number()), values(kinds.size());
  for (std::size_t i = 0; i < kinds.size(); i++) kinds[i] = number(), values[i] = number();
  line();
  clear_reports();
  const Entry *entry = find_module(handle, kernel);
  if (!entry) {
    answer("refused the text has no kernel " + kernel);
    return;
  }
  if (entry->count != kinds.size()) {
    answer("refused " + kernel + " takes " + std::to_string(entry->count) + " arguments, and is given " + std::to_string(kinds.size()));
    return;
  }
  std::vector<void *> arguments;
  for (std::size_t i = 0; i < kinds.size(); i++) {
    std::size_t size = kinds[i] ? kinds[i] : sizeof(void *);  // 0 stands for an allocation
    if (entry->sizes[i] != size) {
      answer("refused argument " + std::to_string(i + 1) + " of " + kernel + " has " + std::to_string(entry->sizes[i]) + " bytes, and is given " + std::to_string(size));
      return;
    }
    if (!kinds[i]) values[i] = reinterpret_cast<std::intptr_t>(known(values[i])->data);
    arguments.push_back(&values[i]);
  }
  launch.call = entry->call;
  launch.arguments = arguments.data();
  running = 1;
  run();
  running = 0;
  std::string all = reports();
  answer("ok " + std::to_string(all.size()));
  std::fwrite(all.data(), 1, all.size(), stdout);
}

// last_words answers the launch that goes on, from within a signal.
[[noreturn]] void last_words(const char *kind, std::int64_t site, std::int64_t detail) {
  char text[256], head[64];
  std::int64_t block = current ? current->actor.block : -1, thread = current ? current->actor.thread : -1;
  int n = std::snprintf(text, sizeof text, "%s %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " 1\n", kind, site, detail, block, thread);
  int h = std::snprintf(head, sizeof head, "ended %d\n", n);
  if (write(1, head, h) == h && write(1, text, n) == n) _exit(0);
  _exit(3);
}

// site_in returns where a signal has met the text, or where the text last
// called the runtime.
std::int64_t site_in(void *context) {
  const char *pc = nullptr;
#if defined(__x86_64__)
  pc = reinterpret_cast<const char *>(static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  pc = reinterpret_cast<const char *>(static_cast<ucontext_t *>(context)->uc_mcontext.pc);
#endif
  if (pc >= launch.module_begin && pc < launch.module_end) return pc - launch.module_begin;
  return current ? current->site : -1;
}

void on_fault(int signal, siginfo_t *info, void *context) {
  if (!current) {
    ::signal(signal, SIG_DFL);
    raise(signal);
    _exit(3);
  }
  std::int64_t site = site_in(context);
  auto *address = static_cast<const char *>(info->si_addr);
  if (signal == SIGFPE) last_words("division", site, 0);
  if (address < current->stack && address >= current->stack - (64 << 10)) last_words("stack", site, 0);
  Allocation *near = allocation_near(address);
  last_words("fault", site, near ? near->number : -1);
}

// on_late is how the other side asks for the end of a launch that takes too long.
void on_late(int, siginfo_t *, void *context) {
  if (running) last_words("timeout", site_in(context), 0);
}

void set_handlers() {
  static char stack[64 << 10];
  stack_t alternate{};
  alternate.ss_sp = stack, alternate.ss_size = sizeof stack;
  sigaltstack(&alternate, nullptr);
  struct sigaction action{};
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  action.sa_sigaction = on_fault;
  for (int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(s, &action, nullptr);
  action.sa_sigaction = on_late;
  sigaction(SIGTERM, &action, nullptr);
  signal(SIGINT, SIG_IGN);  // the other side decides
}

}  // namespace

int main() {
  set_handlers();
  char verb[32];
  while (std::scanf("%31s", verb) == 1) {
    std::string v = verb;
    if (v == "limit") memory_limit = number(), line(), answer("ok");
    else if (v == "alloc") do_alloc();
    else if (v == "free") release(known(number())), line(), answer("ok");
    else if (v == "fill") do_fill();
    else if (v == "read") do_read();
    else if (v == "load") do_load();
    else if (v == "unload") dlclose(handle_of(number())), line(), answer("ok");
    else if (v == "launch") do_launch();
    else fail("an unknown request");
    std::fflush(stdout);
  }
}
