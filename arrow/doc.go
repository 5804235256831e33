// Package kgenarrow passes columns of Apache Arrow to functions that kgen emitted, and
// their results back. It is named apart from arrow-go's package arrow, which is imported
// beside it. It is a module of its own, because arrow-go is large. It imports nothing of
// kgen; package resident, below it, passes columns to devices of package kgen.
//
// [RecordColumn] and the like name a column; a function for each kind of parameter reads it
// as the slice that emitted functions take: [Numbers], [Decimals], [Bools], [Dates], [Timestamps],
// [Strings], for the emitted NewTexts, or [Dictionary] and [Codes], and [Char8s]. [Present] says
// which rows have a value, and [Matches] which are like a pattern.
// Several chunks are one column, and dictionaries are decoded.
//
// # Values
//
// Values become what kgen makes of the same values in Parquet: integers may be wider or
// narrower as long as each fits, floats are read from integers and decimals, dates from
// timestamps at a midnight of UTC. The first value that does not fit is a [ValueError], and
// so is the first NULL, unless [Missing] says what it becomes.
//
// # Memory
//
// Numbers, Dates of date32 and Timestamps of microseconds return the values of the array
// itself, not a copy, if one chunk has all rows and none is NULL. Such a slice is only to be
// read, and only while the array, or the record or table that holds it, is retained. All
// other slices and all strings are copies; [Into] has them written to memory of the caller.
//
// A record of [NewRecord] likewise holds numbers, dates and timestamps without a copy. It
// keeps their memory alive by itself, but the values must not change while it is in use: the
// next call of an emitted Into function with the same destination overwrites them. The
// caller releases the record; its memory is Go's, so nothing is lost if it does not.
package kgenarrow
