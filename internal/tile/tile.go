package tile

import "github.com/kgen-go/kgen/ir"

// ID names a value of a kernel: an index into Kernel.Values. The zero ID is no value.
type ID int

// Value is one result of an operation, one element per row of its domain, or
// one per launch where Domain is Uniform.
type Value struct {
	Kind   ir.Kind
	Name   string // the user's name, if there is one
	Domain int    // index into Kernel.Domains, or Uniform
	Op     int    // index of the defining operation in Kernel.Ops; -1 for ID 0
	Likely bool   // of a uniform condition: it usually holds, and rows may be written for that
}

// Uniform is the domain of values that are the same for every row.
const Uniform = -1

// DomainKind says how rows of a kernel's domain come about.
type DomainKind uint8

// The kinds of row streams.
const (
	Base    DomainKind = iota // the rows that the launch spans
	Compact                   // rows of Parent for which Guard holds
	Close                     // a row per segment of Parent: when Guard (the head of the next segment) holds and a segment is open, and at the end
)

var domainKindNames = [...]string{"base", "compact", "close"}

func (k DomainKind) String() string { return domainKindNames[k] }

// Domain is a stream of rows within the kernel. Domains[0] is the base.
type Domain struct {
	Kind     DomainKind
	Name     string
	Plan     string // the domain in the plan; "" for the one row of a kernel of scalars
	Parent   int
	Guard    ID // bool over Parent
	Counter  ID // i64, a Scan: before this row of Parent, how many have had Guard; 0 if nothing here counts them
	Open     ID // Close: bool over Parent, whether a segment was open before this row: Counter > 0 if there is a Counter
	Position ID // i64, this row's number in the domain; 0 if nothing needs it. If there is a Counter, Compact: Counter, Close: Counter - 1
}

// Stream is a buffer that the kernel reads or writes.
type Stream struct {
	Buffer string // in the plan
	Kind   ir.Kind
	Name   string
	Access Access
	Write  bool
	Long   bool // it may have more elements than a launch has rows
}

// Access is how rows of a stream relate to rows of the kernel.
type Access uint8

// The accesses, from the most to the least regular.
const (
	Element Access = iota // row r of the base touches row r
	Halo                  // row r also touches rows at a fixed distance
	Place                 // row r touches the place of r in a derived domain: ascending, dense
	Chunk                 // one row per chunk of the base
	Gather                // anywhere
	Permute               // anywhere, but each element by one row at most
	Scatter               // anywhere, combined with what is there
)

var accessNames = [...]string{"element", "halo", "place", "chunk", "gather", "permute", "scatter"}

func (a Access) String() string { return accessNames[a] }

// OpKind is what an operation does.
type OpKind uint8

// The operations. Arguments and results are listed in this order; what else is
// known of each is in the table of [Traits].
const (
	Const        OpKind = iota // () -> v, uniform: Const
	Scalar                     // () -> v, uniform: scalar Ref of the plan, known before the launch
	Length                     // () -> i64, uniform: length of the plan's domain Ref, known before the launch
	Row                        // () -> i64: the row's number in the base domain
	Load                       // ([place]) -> v: Stream at the base row, or at place. With Checked a place outside gives the zero value
	Shift                      // (x, fill) -> v: x at base row - Distance, fill if that is outside; x is recomputable
	Map                        // (args) -> v: element-wise Operator, result kind Values[v].Kind
	Head                       // (keys...) -> bool over the base: row 0, or a key differs from the row before
	Ended                      // (x, y) -> v: x; after all rows, where the last of the segments that Domain is made of has closed, y
	Scan                       // (element fields) -> fields: fold of Monoid over the domain's rows, up to and including this one, or before it with Exclusive
	Rank                       // (digit, first[, values]) -> i64: first, and how many earlier rows of the base have the same digit, a number below values and Digits; first depends on the digit alone
	Order                      // (word) -> i64: how many rows of the base have a lesser word of Digits bits, and how many earlier ones the same; the plan has Ref say up to how many rows it is for, unless it is ""
	Claim                      // () -> i64: how many rows of Domain have claimed a number before, in any order
	ChunkScan                  // (element fields) -> fields: as Scan, within a chunk of the base; each chunk's fold goes to Totals
	Reduce                     // (element fields) -> fields, uniform, defined in the epilogue: fold over all rows
	Total                      // (x, a result of Scan, Reduce or Claim) -> v, uniform, in the epilogue: the fold over all rows; how many have claimed a number
	Store                      // (x, [place]) -> (): Stream at the base row, or at place unless that is not below Room
	Update                     // (index, x) -> (): Stream[index] = Monoid(Stream[index], x), in any order
	Search                     // (x, first, end) -> i64: how many elements of Stream, which ascend, are at most x: those before first are, those from end on are not
	Source                     // (first, end) -> i64 over the base: how many elements of Stream, which ascend, are at most the row's number: those before first are, those from end on are not; first and end are recomputable, and neither falls from row to row. With Width, Stream has the last one of each Width running sums of the lengths in Keys, of which none is below 0 unless a check fails, and the result is how many of all running sums are at most the row's number. Behind lengths there may be words of short ones, as [ir.OpExpand] says. With (first, end, bits, most), which are uniform, Keys are words and many: a word of 32 bits has a length above so many bits, which say where something begins; if the length is most, they are the row of many that tells both, the begin above a length of 32 bits
	Placed                     // (source) -> u32 over the base: where the word of the row that source, a result of Source, names says that something begins, and as many behind as rows before have the same source
	Insert                     // (row, slot, slots, limit, keys...) -> i64: row enters the hash table Stream of so many slots: a power of two, unless rows of one slot have equal keys. It takes the first slot, from its own on and around, that is free (all bits are set) or has a row of equal keys; then the lesser row stays, unless rows may be left out and the key is one integer of up to 32 bits: then any. Without keys, the number row is its own key. The result is the slot that has the keys, or -1 if the row is left out. Where more slots than limit are taken, rows may be left out; if they may be although fewer are taken, slot 0 is LeftOut
	Enter                      // (word, slot, slots) -> (): word enters the hash table Stream of so many slots, a power of two unless words of one slot have equal bits above the lowest 32: rows in their order, each at the first slot, from its own on and around, that is free (0), unless one before has a word with the same bits above the lowest 32. With a slot that the table does not have, it does not enter. With AnyOrder rows come in any order, and the least of words with the same bits there stays; with Bucket, slots of a bucket but the last are taken from the own one on and around, then the last, and then those of the next bucket; if Direct, the least word of a slot stays, whatever bits it has, and free slots have all bits set
	Cuckoo                     // (row, slots) -> (): row enters the cuckoo hash table Stream of so many slots, of which the last is no row's. A row belongs in one of its Homes: where it takes a slot that another row has, that one moves to its next home; free slots have all bits set. Of rows with equal keys the least is in one of its homes, and others may be in the rest. If rows may be left out, the last slot is not free
	Probe                      // (slot, slots, direct, key, keys...) -> i64: the slot of such a table whose row has equal keys, or -1. If direct, which is uniform, holds, that is slot key, which may be free, or -1 if there is no such slot
	Match                      // (slot, slots, direct, key, [rest]) -> u32: Stream is a hash table of so many words, of which those that are not 0 have a key above a code of 32 bits: from slot on and around, the code of the one that has key, or 0: none is behind a free slot or, with Bucket, behind a bucket that has one. If direct, which is uniform, holds, 0
	Partners                   // (rows, keys...) -> i64 over the base: how many of so many rows of the streams Keys have equal keys; with First, the first of these, or -1. Keys are recomputable; Stream is the first one's
	Pairs                      // (begin, rows, keys...) -> () over the base: Stream from begin on has the rows of which Partners counts how many they are, in order. All but rows are recomputable
	EnterParts                 // (shift) -> () over the base, slots of the hash table Stream of words: Keys are the streams of ends, hashes and codes. Rows of these lie in the order of the PartBits highest bits of their hashes, of 32, and end where ends says of each number there. A hash above its code enters at the first slot, from that of the hash on and around, that is free (0), unless a row before has the hash; its slot is the hash without shift low bits, or the last multiple of Bucket up to there
	MatchParts                 // (first, end, from, to) -> i64: Keys are streams of words and of keys. Stream gets, for keys from place from to place to, the code of the first word from place first to place end that has the key above that code of 32 bits, or 0. The result is how many different keys these words have. Operands are recomputable
	PartnerParts               // (first, end, from, to) -> i64: as MatchParts, but Stream gets the place of the first code with the key, above 32 bits for how many they are, or 0, and Places, from place first to place end, the codes of the words, those of equal keys together in their order; without Places, only their places are known. Keys may be words with them above 32 other bits
	GroupParts                 // (first, end) -> i64: Keys has a stream of words, keys of 32 bits or with one above 32 other bits, and those of elements. Stream gets, from place first on, the different keys of the words from place first to place end, ascending, Places where Folds leave the folds of each, in any order from place first on; without Places beside it. The result is how many they are, or TooManyGroups where to fold so many takes too long. Operands are recomputable
	Check                      // (failed, row) -> (): if failed holds, Site fails at row, which nobody knows if there is no row
	ScanTotals                 // () -> fields, uniform, epilogue: exclusive fold of Totals into Offsets; results are the grand total
	StoreScalar                // (x) -> (): scalar Ref of the plan becomes x; x is uniform
)

// Op is one operation. It runs for each row of Domain, or once where Domain is
// Uniform (before the rows, or after them if it stands in the epilogue).
type Op struct {
	Kind   OpKind
	Domain int
	Args   []ID
	Res    []ID

	Operator  ir.Op      // Map
	Const     ir.Scalar  // Const
	Ref       string     // Scalar, Length, StoreScalar, Order: a name in the plan; Insert: of a scalar that says about how many different keys there are, or 0; "" if none does
	Site      int        // Check: index of the plan's site
	Bins      string     // Update: the domain of the plan that indexes number, if Stream may have more elements
	Sources   string     // Source: the domain of the plan that results number
	Stream    int        // Load, Store, Update, Search, Source, Insert, Enter, Cuckoo, Probe, Match, Partners, Pairs, EnterParts, MatchParts, PartnerParts
	Distance  int64      // Shift: rows back; negative is ahead
	Keys      []int      // Insert, Cuckoo, Probe: streams, the keys of rows in the table; Partners, Pairs: those of all rows; EnterParts: ends, hashes and codes; MatchParts, PartnerParts: words and keys; Source: the lengths, perhaps with words of short ones, or words and many, if Stream has not all ends
	Homes     []int      // Cuckoo: streams, the slots in which each row may be
	Folds     []PartFold // GroupParts
	Places    int        // PartnerParts, GroupParts: a stream, or NoPlaces
	Divided   int        // GroupParts: a part may be divided if it has so many groups
	Digits    int64      // Rank: how many values a digit has; Order: how many bits a word has
	Monoid    *Monoid    // Scan, ChunkScan, Reduce, Update, ScanTotals
	Segment   ID         // Scan, ChunkScan, Reduce: the flag, a bool, at whose rows the fold begins anew; 0 if it never does, or at every row
	Exclusive bool       // Scan, ChunkScan
	Checked   bool       // Load at a place that may lie outside
	Totals    []int      // ChunkScan, ScanTotals: streams, one per field
	Offsets   []int      // ScanTotals: streams, one per field
	Epilogue  bool       // runs once, after all rows

	Ascending  bool  // Load at a place: the place never falls from row to row
	Padded     bool  // Load at a place, Checked: the last element is zero, unless there is none
	Contiguous bool  // Update: rows of equal index lie together
	BySlot     bool  // Update: the index is a slot of a hash table that may leave rows out
	First      bool  // Partners
	AnyOrder   bool  // Rank: rows with the same digit may have each other's results; Enter: rows do not come in their order
	WindowBits int   // Update: rows lie in the order of what the index is without so many low bits; 0 if they lie in any order
	Width      int   // Store at a place: Stream has so many elements for each row of Domain, side by side, and the place is that of element Word of the row, or of the row to which a Rank moves it; 0 if it may be any. Source: of how many rows Stream has the end of the last; 0 if it has all ends
	Word       int   // Store
	Room       int64 // Store at a place; 0 if Stream has room for all
	Wide       bool  // Match: the table has two words for each slot, a key of 64 bits, and the code, which is 0 in a free one, below the rest of the key
	Bucket     int   // Match, EnterParts, Enter: rows have slots that are multiples of so many, of which the table has a multiple, too; 0 for any
	Direct     bool  // Insert: rows of one slot have equal keys; Enter: words of one slot have
	PartBits   int   // Insert, Probe: the table is of rows that lie in the order of so many high bits of their slots, its parts; 0 if rows lie in any order; EnterParts: of their hashes; GroupParts: so many high bits are those of all keys of a part; 0 if any may differ

	Stage string // the stage it came from
	Pos   ir.Pos
}

// PartFold is a fold of the rows of each group of a part, in their order.
type PartFold struct {
	Monoid *Monoid // of one field
	From   int     // the stream of its elements: of Keys, of which the first has them in the low bits; or OnlyRows
	Kind   ir.Kind // of the elements, if these are low bits of others
	To     int     // the stream that gets the folds
}

// OnlyRows is the stream of elements that are 1.
const OnlyRows = -1

// TooManyGroups is what GroupParts returns of a part that it leaves to others. None has as many.
const TooManyGroups = 1 << 30

// NoPlaces stands for the stream of places where there is none.
const NoPlaces = -1

// Kernel is one launch: a loop over the rows of Domains[0].
type Kernel struct {
	Name    string
	Chunk   int64 // rows of a chunk of the base, if operations know chunks
	Stages  []string
	Domains []Domain
	Streams []Stream
	Values  []Value // Values[0] is unused
	Ops     []Op    // arguments are defined before use; epilogue operations come last
}
