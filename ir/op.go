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

// How short lengths lie in words; see [OpExpand].
const (
	ShortsOfWord = 8
	ShortBits    = 32 / ShortsOfWord
	LongLength   = 1<<ShortBits - 1
)

// Operators of the compiler, which the language cannot spell. Package fuse
// composes order, groups, repeat, find and join of them.
const (
	// Args: x, count, perhaps x again; x is an unsigned integer. How many rows have each
	// value of each digit of x, of Shift bits; count is the number of results. With x
	// again, the plan chooses the digits.
	OpDigits = opEnd + iota
	// Args: x, before. The number of the row if rows were sorted, stably, by the digit of
	// x from bit Shift on, of Split bits. Or x alone: by all of its Split bits. Then the rows
	// are no more than OpRoom says.
	OpRank
	// How many rows one launch sorts, an i64 that the plan knows; or Const, if that is set.
	OpRoom
	// Args: x, place. Row place(r) of the result is row r of x, if the result has that
	// row. Of more such pairs the plan chooses one.
	OpScatter
	// Args: columns of u64 over the same rows. The words of a row lie side by side, a row of the
	// domain each. With By, row r lies at place By(r) among the rows of the domain's parent.
	OpPack
	// Args: x, y. Is x if Limit is not 0, else y; only one of them is computed.
	OpEither
	// Args: ends, rows, perhaps blocks, perhaps lengths, perhaps shorts. The scalar rows says how many rows the
	// result has. Row r is the number of elements of ends, which ascend, that are at most r << Shift.
	// Elements r >> Split of blocks and the next one are bounds of that number. With lengths, of
	// which none is below 0 unless a check fails, ends are the running sums of these
	// up to the last one of each so many rows as the Width of the ends' domain says, and row r is how
	// many of all running sums are at most r. Shorts, if they follow, are words of ShortsOfWord lengths each, of ShortBits
	// bits, and LongLength is that length or a greater one. Lengths may be told by words, with the scalars bits and most
	// and the column many behind: a word of 32 bits has a length above so many bits, which say where something
	// begins. If the length is most, they are the row of many that tells both, the begin above a length of 32 bits.
	OpExpand
	// Args: those of an OpExpand with words. Where the word of the row that a row repeats says that something begins, and as
	// many behind as rows before repeat the same one, of 32 bits.
	OpPlaced
	// Args: sorted, x, first, end. How many elements of sorted, which ascend, are at most x:
	// those before first are, and those from end on are not.
	OpSearch
	// Args: slot, size, keys... A hash table of size slots. A row takes the first slot,
	// from its own on and around, that is free or has a row of equal keys. The result has
	// the least such row of each slot; of a free one -1, or the greatest unsigned integer.
	// Where more slots than Limit, if that is not nil, are taken, rows may be left out.
	OpInsert
	// Args: slot, size, x; x is not negative. The same of the numbers x, which are their own
	// keys: the result has the number in each slot; of a free one -1.
	OpCollect
	// Args: slot, size, word. A hash table of size slots. Rows come in their order, those of
	// slot -1 left out: a row takes the first slot, from its own on and around, that is free,
	// unless it meets a word with the same bits above the lowest 32. The result has the word
	// in each slot; of a free one 0, which no row has. With AnyOrder see there.
	OpEnter
	// Args: slot, size, slots..., keys... A cuckoo hash table of size slots, of which the last
	// one is no row's. A row has a slot in each of Split parts of the table: it takes the slot
	// of another row, which then moves to its own slot in the next part. Of rows with equal
	// keys the least is in one of its slots, and others may be in the rest. Of a free slot
	// the result has what OpInsert gives it. If the last slot is not free, rows were left out.
	OpCuckoo
	// Args: table, slot, direct, key, keys..., keys of the rows in the table... The slot
	// of the row in the table with equal keys, or -1. If the scalar direct holds, that is
	// slot key, which may be free, or -1 if the table has no such slot.
	OpProbe
	// Args: words, slot, direct, key, rest. Words are the slots of a hash table: a key of 32
	// bits above a code of 32, or 0; or two words for each slot, a key of 64 bits, and a code of 32 below the rest of the
	// key, which may be missing. The code of the key's slot, or 0 if there is none, or if the scalar direct holds.
	OpMatch
	// Args: keys..., keys of other rows... How many other rows have equal keys, of which a row
	// has Split; if Reduce is ReduceMin, the first of them, or -1.
	OpPartners
	// Args: begin, keys..., keys of other rows... From place begin of the result on, the other
	// rows with equal keys, in order. There are Split keys.
	OpPairs
	// Args: first, end, from, to, words, keys. Each row is a part: of words, which have a key of
	// 32 bits above a code, and of keys. The result has, for keys from place from to place to, the
	// code of the first word from place first to place end with that key, or 0.
	OpMatchParts
	// Args: as of OpMatchParts, but keys may be words with them above 32 other bits. The result has, for keys, from
	// which place on OpOrderParts has the codes of the words with that key, above 32 bits for how many they are; or 0.
	OpPartnerParts
	// Args: partners, of OpPartnerParts. The codes of all words, part by part: those of equal keys lie together, in the order of
	// the words.
	OpOrderParts
	// Args: ends, size, hashes, codes, shift. A hash table of size slots. Rows lie in the order of the 16 highest bits of
	// their hashes, of 32 bits; ends says of each number there where its rows end. A row takes the first slot, from that of its hash
	// on and around, that is free, unless a row before it has its hash; the slot of a hash is what remains without shift low bits, or
	// the last multiple of Split up to there. The result has a hash above a code in each slot; of a free one 0, which no row has.
	OpEnterParts
	// Args: codes, which OpMatchParts has made, partners, of OpPartnerParts, or groups, of OpGroupParts. How many different keys the
	// words of each part have.
	OpDistinct
	// Args: first, end, words. Each row is a part of words, which are keys of 32 bits, or have one above
	// 32 others. From place first on the result has the different keys of the words from place first to
	// place end, ascending.
	OpGroupParts
	// Args: groups, of OpGroupParts. Where these have a key, the place that OpFoldParts has for it.
	OpPlaceParts
	// Args: groups, of OpGroupParts, perhaps x, over the words. At the place of a key, Reduce of the elements x
	// of the words that have it; without x, of 1 for each. If x is the words, of what they have in their low bits, of kind Const.
	OpFoldParts
	endOfOps
)
