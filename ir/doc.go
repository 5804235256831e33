// Package ir is the operator IR: what a user wrote, typed and verified.
//
// A [Pipeline] is a function from columns and scalars to columns and scalars.
// Its values form a graph in single-assignment form. Structurally equal values
// are one value (the graph is hash-consed), so the identity of a domain is the
// identity of the value that made it.
//
// Text enters through [Load], Go programs through [Builder]; both build the
// same graph by the same constructors, so the typing rules exist once.
// Interpretation is package interp; lowering starts in package fuse.
package ir
