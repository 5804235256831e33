// Package gocpu emits plain Go: one typed function per pipeline, with the
// standard library only.
//
//	output, err := gocpu.Emitter{}.Emit(programs, backends.Options{Package: "tpch"})
//
// It makes NAME.go for each pipeline and, once for all, kgen_support.go, with
// partials kgen_partial.go, for those with texts kgen_texts.go, and with
// Options.Trace kgen_trace.go. All belong to Options.Package, which is "pipelines"
// by default; Options.Schedule does not count. Programs are compiled for this
// backend, as Compile of package build does for the name "gocpu". An error names
// the kernel that has an operation without a form in Go; any other is a bug of
// kgen.
//
// Lowering follows the tile program. Each kernel becomes a function over a
// range of rows that carries the state of its prefixes in local variables, so
// that on one core a kernel with any number of cuts is one loop. If a kernel
// has one cut and cores are free, blocks of rows run as a chain. A worker first
// computes the state of its block alone. In the order of blocks, it adds this
// state to the state after the previous block. Then it processes the rows of
// the block, whose positions in the results are known by now. A kernel of several
// cuts runs so if these belong to groups of neighbouring rows, of which masks keep
// some (tile.Kernel.Closing); any other runs on one core. The rows of kernels without a cut are divided into ranges. The counters of a sort pass from
// block to block like any other state, and small tables of integers are added up
// after the rows. Package jennifer prints the resulting loop program.
package gocpu
