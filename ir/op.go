package ir

// Op is an operator of the graph.
type Op uint8

// Parameters and constants, which no operator computes.
const (
	OpInvalid Op = iota
	OpParam
	OpConst
	firstRowOp // the element-wise operators are in rowop.go
)

// The numbered operators of the language.
const (
	OpCompact      Op = endOfRowOps + iota // x[mask]: Args x, mask
	OpGather                               // x[i]: Args x, i
	OpIndex                                // index(x)
	OpLen                                  // len(x)
	OpPrev                                 // prev(x, k, fill): Args x, fill
	OpNext                                 // next(x, k, fill): Args x, fill
	OpScan                                 // scan(op, x, by: g): Args x
	OpExscan                               // exscan(op, x, by: g): Args x
	OpRuns                                 // runs(k, ...)
	OpStarts                               // starts(mask)
	OpGroups                               // groups(k, ...)
	OpBins                                 // bins(i, size) where Args[1] is a scalar, else bins(i, column)
	OpRepeat                               // repeat(length)
	OpOrder                                // order(k, desc(k), ..., limit: c)
	OpFind                                 // find(K, in: K2)
	OpJoin                                 // join(K, K2); Type.Kind is Pair
	OpLeft                                 // j.left: Args j
	OpRight                                // j.right: Args j
	OpAlign                                // align(x, to: y): Args x, y
	firstAggregate                         // the aggregates are in aggregate.go
)

const opEnd = endOfAggregates

// Operators of the compiler, which the language cannot spell. Package fuse
// composes order, groups, repeat, find and join of them.
const (
	OpDigits  = opEnd + iota // how many rows of Args[0], an unsigned integer, have each value of each of its digits of Shift bits; Args[1] is the number of results. Args[2] is Args[0] once more if the plan chooses the digits
	OpRank                   // Args: x, before; the number of the row if rows were sorted by the digit of x from bit Shift on, of Split bits, and stably
	OpScatter                // Args: x, place; row place(r) of the result is row r of x, if the result has that row. Of more such pairs the plan chooses one
	OpEither                 // Args: x, y; x if Limit is not 0, else y; only one of them is computed
	OpExpand                 // Args: ends, rows, perhaps coarse; a scalar says how many rows the result has: row r is the number of elements of ends, which ascend, that are at most r << Shift. Rows r >> Split and the next of coarse are the same of those, as bounds
	OpInsert                 // Args: slot, size, keys...; a hash table of size slots. A row takes the first slot, from its own on and around, that is free or has a row of equal keys. The result has, of each slot, the least such row; of a free one -1, or the greatest unsigned integer
	OpProbe                  // Args: table, slot, direct, key, keys..., keys of the rows in the table...; the slot of the row in the table with equal keys, or -1. If the scalar direct holds, that is slot key, which may be free, or -1 if the table has no such slot
	OpMatch                  // Args: words, slot, direct, key; words are a hash table's slots with a key of 32 bits above a code of 32, or 0: the code of the key's slot, or 0 if there is none, or if the scalar direct holds
	endOfOps
)
