// Package ctext prints loop programs of profile simt as text of the C family.
// One printer serves all dialects: what differs between them is the data of a
// [Dialect] and its leaf intrinsics in package templates.
//
// C has not the meaning of the loop IR, so the printer spells it out. Sums,
// differences and products of signed integers, whose overflow C leaves
// undefined, are computed as unsigned ones. Types narrower than int, which C
// widens, are cut back. Shift counts are masked. Where an operator needs more
// than an expression (a cast of a float to an integer, the order of keys), a
// leaf intrinsic has it. What each part of the text guarantees of the next:
//
//   - an expression of 32 or 64 bits, or a float, has exactly its C type;
//   - one of a narrower kind or a bool has a value of that kind, whatever
//     integer type C gives it;
//   - memory that the host sees holds a bool in one byte, 0 or 1, and a char8
//     in eight bytes; arguments are passed in that form too.
//
// Names and comments come from users. Names are spelled anew from letters,
// digits and single underscores, and none has a meaning in the dialect; a
// comment has no character that could end it.
package ctext
