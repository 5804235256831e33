// Package ctext prints loop programs of profile simt as text of the C family.
// One printer serves all dialects. They differ in the data of a [Dialect] and
// in its helpers, which are in package templates.
//
// The semantics of the loop IR is not that of C, so the printer spells it out.
// Sums, differences and products of signed integers, whose overflow is undefined
// in C, are computed as unsigned ones. Types narrower than int, which C widens,
// are cut back. Shift counts are masked. An operator that needs more than an
// expression (a cast of a float to an integer, the order of keys) calls a
// helper. The parts of the text keep these invariants:
//
//   - an expression of 32 or 64 bits, or a float, has exactly its C type;
//   - an expression of a narrower kind or a bool has a value of that kind,
//     whatever integer type C gives it;
//   - memory that the host sees holds a bool in one byte, 0 or 1, and a char8
//     in eight bytes; arguments are passed in that form too.
//
// Names and comments come from users. Names are spelled in letters, digits and
// single underscores, and no name is reserved in the dialect. A comment has no
// character that could end it.
package ctext
