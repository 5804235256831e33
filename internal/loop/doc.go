// Package loop is the loop IR: what a kernel does, step by step, before it
// becomes text. It is one imperative form with a core and two profiles:
//
//	core   Const Var Unary Binary Compare Select Cast Load Call
//	       Decl Let Assign Store Atomic If For While Break Note Do
//	simt   Id Barrier Fence Role Child   (OpenCL C, CUDA C)
//	cores  Len Parallel Chain Blocks Grow View Copy   (Go)
//	       LoadLanes StoreLanes Splat Compress CountLanes AnyLane
//
// Nodes carry the meaning of the kgen language: integers wrap, shift counts are
// taken modulo the width, MinInt / -1 is MinInt, a cast from float to integer
// saturates and turns NaN into 0, every float operation rounds to its own width
// and none is contracted. A printer must produce text with this meaning; a
// dialect cannot change it. The builder of a program must ensure three
// conditions: an index is in bounds, an integer divisor is not zero, and no
// sum, difference or product of counters overflows.
//
// Dates and texts are i32 here, timestamps i64. A char8 is a value of 64 bits that
// orders as an unsigned integer; only in memory is it 8 bytes.
//
// Programs are made by [Builder] and checked by [Verify].
package loop
