// Package interp is the reference interpreter: it defines what a pipeline
// means. Every other device is compared with it, so it prefers the obvious
// program to the fast one, evaluates one value of the graph after the other,
// and shares no code with the lowering or a backend.
//
// Three rules deserve a note, because a device may only approximate them:
//
//   - Float sums, and add scans, are exact and rounded once. An empty sum is
//     +0, and so is a sum of negative zeros. Infinities and NaN follow IEEE
//     addition in any order. There is no overflow on the way: only the
//     rounded result can be infinite.
//   - Mul scans of floats keep 2048 bits and an unbounded exponent, so the
//     result is the exact product rounded once unless that lies within
//     2^-1900, relatively, of the midpoint of two floats.
//   - argmin and argmax give the smallest row that holds what min and max
//     give: -0.0 is less than 0.0, and the first NaN wins.
//
// Every check is made for every row. A failure is recorded, its row continues
// with the value given at ir.CheckKind, and at the end the lowest site number
// with its smallest row is returned.
package interp
