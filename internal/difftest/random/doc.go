// Package random makes random valid pipelines, as source text. It keeps its own
// account of types and domains and asks no other package what is legal: where
// package ir refuses a program of its, one of the two is wrong.
//
// A program is a list of statements, each of one operator that is drawn evenly;
// its operands are mostly recent values, so that chains grow: masks of
// compactions, scans of scans, aggregates of aggregates. Checks mostly hold,
// because most operands of checked operators are guarded, and sometimes fail.
// The number of a program chooses a pair of operators, of which the second
// reads the first, so that many programs have every pair that types allow.
package random
