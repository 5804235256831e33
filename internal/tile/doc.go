// Package tile is the program of one kernel: a loop over the rows of a base
// domain, written as data that every backend lowers in its own way.
//
// # Rows
//
// A kernel streams the rows of its base domain once, in order of meaning. A
// row may also be a row of derived domains: of a compaction (where a guard
// holds) or of a grouping (a group's row happens when the next group begins,
// and once more at the end for the group that is then open). Each operation
// names the domain whose rows it runs for, so control flow is data too.
//
// # Cuts
//
// Operations that need all earlier rows (Scan) are written with a [Monoid].
// A launch may process rows in any order and on many workers as long as each
// Scan sees the fold of the rows before: that fold is the carry, and the place
// where it is needed is a cut. [Analyze] splits a kernel at its cuts: phase 0
// can run at once, phase p needs the carries of cuts 0 to p-1. What is alive
// across a cut is named, so that a scheme may keep it in registers, in a ring
// of staged tiles, or recompute it.
package tile
