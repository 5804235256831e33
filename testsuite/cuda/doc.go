// Package cuda tests the CUDA C++ that kgen emits for the corpus, without a GPU: its
// results in the emulation, the bugs that the emulation notices in it, and what
// compilers say of it.
package cuda
