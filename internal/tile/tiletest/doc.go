// Package tiletest executes tile programs on small data, for tests: row by row
// as they are meant, and in blocks as any single-pass or round scheme would.
//
// [Blocks] forgets every value at each cut but those that the analysis of the
// kernel keeps alive across it. So if it agrees with [Sequential], the cuts,
// monoids and live values of the kernel are all that a scheme needs.
//
// The package evaluates operators on its own: it shares no code with the
// interpreter or a backend.
package tiletest
