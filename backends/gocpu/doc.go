// Package gocpu emits plain Go: one typed function per pipeline, with the
// standard library only.
//
// Lowering follows the tile program. Each kernel becomes a function over a
// range of rows that carries the state of its prefixes in local variables, so
// that serially a kernel with any number of cuts is one loop. Where a kernel
// has one cut and cores are free, blocks of rows run as a chain: a summary of
// the block, an ordered step that adds its state to the states before, and the
// rows themselves, which now know their places. Kernels without a cut are split
// into ranges. jennifer prints the loop IR that results.
package gocpu
