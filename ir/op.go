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
// composes order and groups of them.
const (
	OpDigits  = opEnd + iota // how many rows of Args[0], an unsigned integer, have each value of each of its digits of Shift bits; Args[1] is the number of results. Args[2] is Args[0] once more if the plan chooses the digits
	OpRank                   // Args: x, before; the number of the row if rows were sorted by the digit of x from bit Shift on, of Split bits, and stably
	OpScatter                // Args: x, place; row place(r) of the result is row r of x, if the result has that row. Of more such pairs the plan chooses one
	OpEither                 // Args: x, y; x if Limit is not 0, else y; only one of them is computed
	endOfOps
)
