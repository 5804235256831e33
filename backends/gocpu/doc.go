// Package gocpu emits plain Go: one typed function per pipeline, with the
// standard library only.
//
// Lowering follows the tile program. Each kernel becomes a function over a
// range of rows that carries the state of its prefixes in local variables, so
// that serially a kernel with any number of cuts is one loop. Where a kernel
// has one cut and cores are free, blocks of rows run as a chain: a summary of
// the block, a turn in which its state is added to those before, and the rows
// themselves, now that they know where they write. Kernels without a cut are
// split into ranges. The loop IR that results is printed by jennifer.
package gocpu
