// Package tiletest executes tile programs on small data, for tests: row by row
// as they are meant, and in blocks as any single-pass or round scheme would.
//
// [Blocks] forgets every value at each cut but those that the analysis of the
// kernel carries across it. So where it agrees with [Sequential], the cuts,
// monoids and carries of the kernel are all that a scheme needs.
//
// The package evaluates operators on its own: it shares no code with the
// interpreter or a backend.
package tiletest
