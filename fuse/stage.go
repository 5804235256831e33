package fuse

import (
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// StageKind is what a stage does.
type StageKind string

// The kinds of stages. They are named like the published kernels, if there are
// any (Saxena et al., "Code fusion of prefix sum with ordered
// aggregation", table I).
const (
	Map       StageKind = "map"       // element-wise values, gathers and neighbours
	Mask      StageKind = "mask"      // the same, but what is computed are flags for a prefix
	Partial   StageKind = "partial"   // a scan within each chunk
	Offset    StageKind = "offset"    // the scan of the chunks' totals
	Add       StageKind = "add"       // offsets added to partial scans
	Compact   StageKind = "compact"   // rows moved to their place in a sub-domain
	Aggregate StageKind = "aggregate" // one row per group
	Finish    StageKind = "finish"    // results from the states in a table
	Insert    StageKind = "insert"    // rows entered in a hash table
	Nested    StageKind = "nested"    // rows that each row is paired with, by nested loops
	Reduce    StageKind = "reduce"    // one scalar per domain
	Histogram StageKind = "histogram" // how many rows have each value of the digits of their keys
	Pass      StageKind = "pass"      // rows moved to the places that a digit of their keys gives them
	Pack      StageKind = "pack"      // the words of a row side by side
	Either    StageKind = "either"    // columns and scalars that are made in one of two ways
	ScalarMap StageKind = "scalar"    // arithmetic on scalars
)

// Stage is a primitive step of a pipeline. Stages are in an order in which
// they can run.
type Stage struct {
	Index  int
	Name   string // the kind, with a number unless it is the only stage of its kind
	Kind   StageKind
	Pos    ir.Pos
	Domain *ir.Domain // whose rows it runs over; nil for scalars
	Out    *ir.Domain // the domain whose rows it makes: Compact, and Aggregate but by tables
	Writes []*Value
	Reads  []Use

	turn    turn        // Histogram, Pass: when the plan runs it
	ways    ways        // to which it belongs
	counted *ir.Value   // Histogram: the words whose digits it counts
	place   *ir.Value   // Pass: to which rows move
	after   []*Stage    // that have to run before it, although it reads nothing of theirs
	roots   []*ir.Value // the values that it computes: Map, Mask, Compact, Aggregate, Finish, Insert, Nested, Reduce, ScalarMap, Either
	prefix  *Prefix     // Partial, Offset, Add
}

// ValueKind is what a value between stages is.
type ValueKind uint8

// The kinds of values between stages.
const (
	Result   ValueKind = iota // a value of the pipeline
	Heads                     // bool: whether a row begins a group of Of
	Places                    // i64: how many rows before belong to the sub-domain Of
	Partials                  // a field of a scan within its chunk
	Totals                    // a field of each chunk's fold
	Offsets                   // a field of the fold of all chunks before
	Lengths                   // i64 scalar: the length of Of
	States                    // what an aggregate keeps per group in a table
)

// Value is written by one stage and read by others: a column, or a scalar if
// Domain is nil.
type Value struct {
	Kind   ValueKind
	IR     *ir.Value  // Result, States
	Of     *ir.Domain // Heads, Places, Lengths
	Field  int        // Partials, Totals, Offsets, States
	Name   string     // unique within the pipeline
	Type   ir.Kind
	Domain *ir.Domain
	Chunks bool      // one row per chunk of Domain
	Fill   ir.Scalar // of a table: what its elements start with, if not zero
	Writer *Stage    // the last one, if the plan chooses among several
}

// Access is how a stage reads or writes a value. The type is internal to this module; its
// values are, by their String method:
//
//	element  row r of the stage reads row r
//	halo     row r also reads rows at a fixed distance
//	place    row r reads row r of another domain, whose length may differ
//	chunk    all rows of a chunk read the row of the chunk
//	gather   row r reads any row
//	permute  row r writes any row that no other row writes
//	scatter  row r combines its value with any row
type Access = tile.Access

// Use is a value read by a stage.
type Use struct {
	Value  *Value
	Access Access
	Whole  bool // needs every row of the value, or is a scalar: the writer must have ended
}

// Prefix is a scan over all rows of a domain: the stages Partial, Offset and Add.
type Prefix struct {
	Domain    *ir.Domain   // rows it scans
	Of        *ir.Domain   // the sub-domain or grouping that it numbers, or nil
	Scan      *ir.Value    // the scan or exscan, or nil
	Monoid    *tile.Monoid // the state and how it folds; a type that is internal to this module
	Exclusive bool         // the state before a row, else after it

	Partial, Offset, Add *Stage
	partials             []*Value
	totals, offsets      []*Value
	result               *Value
}

// Graph is a pipeline as stages.
type Graph struct {
	Pipeline *ir.Pipeline
	declared *ir.Pipeline // as the user wrote it, whose parameters and results the plan has
	Stages   []*Stage
	Values   []*Value

	strategy string // of hash tables of groups, see Options

	cores, keptAtOnce, claims bool // see Options

	digitShift, digitNumber, digitWidth, orderRoom string // scalars of the plan: those of the digit by which a pass sorts

	turns       map[*ir.Value]turn
	ascending   map[*ir.Value]bool // what is known of columns, see ascends
	writer      map[key]*Value
	prefixes    map[key]*Prefix // by the value that the Add stage writes
	sites       map[*ir.Value][]ir.Site
	domainNames map[*ir.Domain]string
	depends     [][]bool // depends[a][b]: stage a needs stage b, directly or not
	byName      map[string]*Value
	readBy      map[*Value][]*Stage
	outputs     map[*Value]bool // results, and the lengths of their domains
	sources     map[*ir.Domain]sources
	chosenBy    map[*ir.Domain]*ir.Value // of a DomainEither: the condition of its ways
	lengths     map[string]int64         // of domains by name, while an explanation is made for known ones
	rows        map[string]int64         // of parameters' domains by name, in place of AssumedRows
}

// key identifies a Value.
type key struct {
	kind  ValueKind
	ir    *ir.Value
	of    *ir.Domain
	field int
}

// result returns the Value that holds v between stages; nil if v is inlined in its users.
func (g *Graph) result(v *ir.Value) *Value { return g.writer[key{kind: Result, ir: v}] }

// Needs reports whether stage a needs stage b to have run, directly or not.
func (g *Graph) Needs(a, b *Stage) bool { return g.depends[a.Index][b.Index] }
