#include "fiber.h"

#include <cstdint>

#ifdef CUDAEMU_PORTABLE_FIBERS

void cudaemu::prepare(Fiber &fiber, char *stack, std::size_t size, void (*entry)()) {
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = stack;
  fiber.context.uc_stack.ss_size = size;
  fiber.context.uc_link = nullptr;
  makecontext(&fiber.context, entry, 0);
}

void cudaemu::change(Fiber &from, Fiber &to) { swapcontext(&from.context, &to.context); }

#else

// swapcontext asks the kernel for the signal mask each time; this does not.
extern "C" void cudaemu_change(void **from, void *to);
asm(R"(
.text
.hidden cudaemu_change
.globl cudaemu_change
cudaemu_change:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp, (%rdi)
  mov %rsi, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
)");

void cudaemu::prepare(Fiber &fiber, char *stack, std::size_t size, void (*entry)()) {
  auto **top = reinterpret_cast<void **>(reinterpret_cast<std::uintptr_t>(stack + size) & ~std::uintptr_t(15));
  *--top = nullptr;  // where entry would return to; it aligns the stack as a call does
  *--top = reinterpret_cast<void *>(entry);
  for (int i = 0; i < 6; i++) *--top = nullptr;
  fiber.stack_pointer = top;
}

void cudaemu::change(Fiber &from, Fiber &to) { cudaemu_change(&from.stack_pointer, to.stack_pointer); }

#endif
