// Package tile is the program of one kernel: a loop over the rows of a base
// domain, written as data that every back end lowers in its own way.
//
// # Rows
//
// A kernel streams the rows of its base domain once, in their order. A row may
// also be a row of derived domains: of a compaction, if its guard holds, or of a
// grouping, whose row happens when the next segment begins, and once more at the
// end for the segment that is then open. Each operation names the domain whose
// rows it runs for, so control flow is data too. A derived domain names the scan
// that counts its rows.
//
// # Operations
//
// [Traits] describe each kind of operation: its operands, its effect, how long
// its state lives, what it asks of a scheme. Passes and back ends ask them and
// do not test kinds.
//
// # Cuts
//
// Operations that need all earlier rows (Scan) are written with a [Monoid]. A
// launch may process rows in any order and on many workers as long as each Scan
// sees the prefix, the fold of all earlier rows. A place where rows need a prefix
// is a cut. [Analyze] splits a kernel at its cuts: phase 0 can run at once, phase
// p needs the prefixes of cuts 0 to p-1. It lists the values that are alive across
// each cut, so that a scheme may keep them in registers or in a ring of staged
// tiles, or compute them again.
package tile
