package main

import "slices"

// Mutants lists all mutants, those of each kind spread over the parts.
func Mutants() []Mutant {
	return slices.Concat(lowering, schemes, tables, order, find, joins, cuckoo, calendar, files, walking, gathered, fewRows, claims, persistent, intrinsics, text, decimal, sums, partials, vectors, lanes, calls, costs, kept, rounds, grow)
}
