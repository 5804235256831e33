// Package table moves columns between files and pipelines: it reads the
// columns that a pipeline's parameters are bound to, and writes and prints its
// results.
//
// A [Format] reads and writes one kind of file; the file's extension chooses
// it. Rows are counted from 0 in messages, as index(x) counts them, and lines
// from 1, as editors do.
package table
