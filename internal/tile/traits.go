package tile

import (
	"fmt"
	"iter"
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// Traits describe a kind of operation. Verifier, passes and back ends ask them
// instead of testing kinds.
type Traits struct {
	Name   string
	Args   []Role
	Res    []Role
	Place  Placement
	Effect Effect   // the change that it makes, besides giving its results
	Folds  bool     // it combines elements by its Monoid
	State  Lifetime // of the state that its rows fold into
	Cuts   bool     // its results hold all earlier rows: a prefix over the grid
	Again  LiveKind // how its results are obtained a second time, if its operands can be
	Moves  bool     // its results can be computed for another row of the base, if its operands can
	Asks   Demands  // of the scheme that runs it
}

// Role is the part that an operand or a result plays. It decides the element type.
type Role uint8

// The roles.
const (
	Any      Role = iota // of any type; the operation says more
	Flag                 // bool
	Number               // i64: a row, a place, a length
	At                   // i64, a place; may be missing: the row's own
	Most                 // i64; may be missing
	OfStream             // of the type of the operation's stream
	InStream             // i64, a place in the operation's stream, where a search begins or ends
	OfFirst              // of the type of the first operand
	Moved                // of any type; seen at another row
	Keys                 // one or more that are Moved
	Terms                // as many as the element-wise operator takes
	Compared             // one or more of any type, which are compared with those of other rows
	Fields               // one per field of the monoid, of its type
	Rest                 // of any type; may be missing
)

// Placement is the part of a kernel in which an operation may stand.
type Placement uint8

// The placements.
const (
	Anywhere  Placement = iota // for rows, once before them, or in the epilogue
	Once                       // before the rows: known before the launch
	BaseRows                   // for rows of the base
	Rows                       // for rows of any domain
	AfterRows                  // in the epilogue
)

// Effect is a change that an operation makes.
type Effect uint8

// The effects.
const (
	Pure     Effect = iota // nothing
	Writes                 // an element of its stream becomes its operand
	Combines               // an element of its stream is combined with its operand, in any order
	Claims                 // an element of its stream, which it finds, or a number, becomes that of its row
	Reports                // a check site records a row
	Sets                   // a scalar of the plan gets a value
	Totals                 // the folds of chunks go to streams
)

// Lifetime is how long the state that an operation folds is alive.
type Lifetime uint8

// The lifetimes.
const (
	RowState       Lifetime = iota // nothing outlives the row
	ChunkState                     // a chunk of the base
	WorkgroupState                 // as long as a work-group runs, which then flushes it
	GridState                      // all rows of the launch
)

// Demands is a set of what operations ask of the scheme that runs them. A scheme
// says which demands it meets, and refuses a kernel that makes others.
type Demands uint16

// The demands. No operation makes LocalTables yet.
const (
	Prefixes    Demands = 1 << iota // rows see the fold of all earlier rows
	WholeChunks                     // a chunk's rows stay together
	Neighbours                      // rows see other rows of the base
	Tables                          // rows combine elements anywhere, in any order
	AnEnd                           // something runs once, after all rows
	LocalTables                     // state lives as long as a work-group, which flushes it
	Counters                        // the state of a cut is an array of counters
	Expansion                       // rows find the rows that they repeat, or are paired with
	InOrder                         // rows change a table in their order
)

// refusals says, per demand, why a scheme that does not meet it refuses a kernel.
var refusals = map[Demands]string{
	Prefixes:    "rows need the fold of all earlier rows",
	WholeChunks: "a tile would have to hold whole chunks",
	Neighbours:  "rows need rows of other tiles",
	Tables:      "rows combine elements of a table in any order",
	AnEnd:       "something has to run after all rows",
	LocalTables: "a table would have to live as long as a work-group",
	Counters:    "the state of a cut is an array of counters",
	Expansion:   "rows find the rows that they repeat, or are paired with",
	InOrder:     "rows change a table in their order",
}

// Refuse says why a scheme that meets some demands cannot meet d; "" if it can.
func (d Demands) Refuse(met Demands) string {
	for bit := Demands(1); bit != 0; bit <<= 1 {
		if d&bit != 0 && met&bit == 0 {
			return refusals[bit]
		}
	}
	return ""
}

// Asks returns the demands of all operations.
func (k *Kernel) Asks() (all Demands) {
	for i := range k.Ops {
		all |= k.Ops[i].Asks()
	}
	return all
}

// traits describes each kind of operation.
var traits = [...]Traits{
	Const:        {Name: "const", Res: []Role{Any}, Place: Once, Again: Recompute},
	Scalar:       {Name: "scalar", Res: []Role{Any}, Place: Once, Again: Recompute},
	Length:       {Name: "length", Res: []Role{Number}, Place: Once, Again: Recompute},
	Row:          {Name: "row", Res: []Role{Number}, Place: BaseRows, Again: Recompute, Moves: true},
	Load:         {Name: "load", Args: []Role{At}, Res: []Role{OfStream}, Again: Ring, Moves: true},
	Shift:        {Name: "shift", Args: []Role{Moved, OfFirst}, Res: []Role{OfFirst}, Place: BaseRows, Again: Recompute, Asks: Neighbours},
	Map:          {Name: "map", Args: []Role{Terms}, Res: []Role{Any}, Again: Recompute, Moves: true},
	Head:         {Name: "head", Args: []Role{Keys}, Res: []Role{Flag}, Place: BaseRows, Again: Recompute, Asks: Neighbours},
	Ended:        {Name: "ended", Args: []Role{Any, OfFirst}, Res: []Role{OfFirst}, Place: Rows, Again: Recompute},
	Scan:         {Name: "scan", Args: []Role{Fields}, Res: []Role{Fields}, Place: Rows, Folds: true, State: GridState, Cuts: true, Again: Register, Asks: Prefixes},
	Rank:         {Name: "rank", Args: []Role{Number, Number, Most}, Res: []Role{Number}, Place: BaseRows, Again: Register, Asks: Counters},
	Order:        {Name: "order", Args: []Role{Any}, Res: []Role{Number}, Place: BaseRows, Again: Register, Asks: Counters},
	Claim:        {Name: "claim", Res: []Role{Number}, Place: Rows, Effect: Claims, Asks: Tables},
	ChunkScan:    {Name: "chunkscan", Args: []Role{Fields}, Res: []Role{Fields}, Place: BaseRows, Effect: Totals, Folds: true, State: ChunkState, Again: Register, Asks: WholeChunks},
	Reduce:       {Name: "reduce", Args: []Role{Fields}, Res: []Role{Fields}, Place: Rows, Folds: true, State: GridState, Again: Register, Asks: AnEnd},
	Total:        {Name: "total", Args: []Role{Any}, Res: []Role{OfFirst}, Place: AfterRows, Again: Recompute, Asks: AnEnd},
	Store:        {Name: "store", Args: []Role{OfStream, At}, Effect: Writes},
	Update:       {Name: "update", Args: []Role{Number, OfStream}, Place: Rows, Effect: Combines, Folds: true, Asks: Tables},
	Search:       {Name: "search", Args: []Role{OfStream, Number, Number}, Res: []Role{Number}, Place: Rows, Again: Register},
	Source:       {Name: "source", Args: []Role{InStream, InStream, Most, Most}, Res: []Role{Number}, Place: BaseRows, Again: Register, Asks: Expansion},
	Placed:       {Name: "placed", Args: []Role{Number}, Res: []Role{Any}, Place: BaseRows, Again: Register, Asks: Expansion},
	Insert:       {Name: "insert", Args: []Role{Number, InStream, Number, Number, Compared}, Res: []Role{Number}, Place: Rows, Effect: Claims, Asks: Tables},
	Enter:        {Name: "enter", Args: []Role{OfStream, Number, Number}, Place: Rows, Effect: Claims, Asks: Tables | InOrder},
	Cuckoo:       {Name: "cuckoo", Args: []Role{Number, InStream}, Place: Rows, Effect: Claims, Asks: Tables},
	Probe:        {Name: "probe", Args: []Role{InStream, Number, Flag, Number, Compared}, Res: []Role{Number}, Place: Rows, Again: Register},
	Match:        {Name: "match", Args: []Role{InStream, Number, Flag, Any, Rest}, Res: []Role{Any}, Place: Rows, Again: Register},
	Partners:     {Name: "partners", Args: []Role{InStream, Compared}, Res: []Role{Number}, Place: BaseRows, Again: Register, Asks: Expansion},
	Pairs:        {Name: "pairs", Args: []Role{InStream, Number, Compared}, Place: BaseRows, Effect: Claims, Asks: Tables | Expansion},
	EnterParts:   {Name: "enterparts", Args: []Role{InStream}, Place: BaseRows, Effect: Claims, Asks: Tables | InOrder},
	MatchParts:   {Name: "parts", Args: []Role{InStream, Number, Number, Number}, Res: []Role{Number}, Place: BaseRows, Effect: Claims, Asks: Tables | InOrder},
	PartnerParts: {Name: "partnerparts", Args: []Role{InStream, Number, Number, Number}, Res: []Role{Number}, Place: BaseRows, Effect: Claims, Asks: Tables | InOrder},
	GroupParts:   {Name: "groupparts", Args: []Role{InStream, Number}, Res: []Role{Number}, Place: BaseRows, Effect: Claims, Asks: Tables | InOrder},
	Check:        {Name: "check", Args: []Role{Flag, Number}, Effect: Reports},
	ScanTotals:   {Name: "scantotals", Res: []Role{Fields}, Place: AfterRows, Effect: Totals, Folds: true, Again: Recompute, Asks: AnEnd},
	StoreScalar:  {Name: "storescalar", Args: []Role{Any}, Place: AfterRows, Effect: Sets, Asks: AnEnd},
}

// Kinds lists every kind of operation.
func Kinds() []OpKind {
	list := make([]OpKind, len(traits))
	for k := range list {
		list[k] = OpKind(k)
	}
	return list
}

// Traits returns the traits of the kind.
func (k OpKind) Traits() *Traits { return &traits[k] }

func (k OpKind) String() string {
	if int(k) >= len(traits) {
		return fmt.Sprintf("number %d", uint8(k))
	}
	return traits[k].Name
}

// Traits returns the traits of the operation's kind.
func (op *Op) Traits() *Traits { return &traits[op.Kind] }

// HasEffect reports whether the operation writes or reports something.
func (op *Op) HasEffect() bool { return op.Traits().Effect != Pure }

// IsPure reports whether the operation may be computed anywhere between its
// operands and its use: it has no effect and no state, and sees no other row.
func (op *Op) IsPure() bool {
	t := op.Traits()
	return t.Effect == Pure && t.State == RowState && t.Place != AfterRows && t.Asks == 0
}

// IsKnownBefore reports whether the result is known before the launch, for
// nothing: a constant, a scalar or a length of the plan.
func (op *Op) IsKnownBefore() bool { return op.Traits().Place == Once }

// IsRunning reports whether rows fold into a state that outlives them.
func (op *Op) IsRunning() bool { return op.Traits().State != RowState }

// Cuts reports whether the results hold all earlier rows: a cut of the kernel.
func (op *Op) Cuts() bool { return op.Traits().Cuts }

// Counts reports whether the state behind the results is an array of counters.
func (op *Op) Counts() bool { return op.Traits().Asks&Counters != 0 }

// IsPrefix reports whether each row has results that hold earlier rows, of the
// launch or of a chunk.
func (op *Op) IsPrefix() bool { return op.IsRunning() && !op.IsReduction() }

// IsChunkwise reports whether the state ends with each chunk of the base.
func (op *Op) IsChunkwise() bool { return op.Traits().State == ChunkState }

// IsReduction reports whether the results are known only after all rows.
func (op *Op) IsReduction() bool { return op.Traits().State == GridState && !op.Traits().Cuts }

// Does reports whether the operation has an effect, and which.
func (op *Op) Does(e Effect) bool { return op.Traits().Effect == e }

// SeesNeighbours reports whether the operation sees other rows of the base.
func (op *Op) SeesNeighbours() bool { return op.Traits().Asks&Neighbours != 0 }

// IsHead reports whether the operation finds where keys change.
func (op *Op) IsHead() bool { return slices.Contains(op.Traits().Args, Keys) }

// IsRowNumber reports whether the operation gives the number of the base row.
func (op *Op) IsRowNumber() bool { return op.IsPure() && op.Traits().Place == BaseRows }

// Seen returns the values that the operation sees at another row of the base,
// and how many rows back; the values are none where it sees its own row alone.
func (op *Op) Seen() (values []ID, distance int64) {
	t := op.Traits()
	switch {
	case slices.Contains(t.Args, Keys):
		return op.Args, 1
	case slices.Contains(t.Args, Moved):
		return op.Args[:1], op.Distance
	}
	return nil, 0
}

// Touches returns the place of the element that an operation reads or writes in
// its stream: an operand, or 0 for the place of the row itself. If ok does not
// hold, the operation touches none.
func (op *Op) Touches() (place ID, ok bool) {
	t := op.Traits()
	switch {
	case slices.Contains(t.Res, OfStream), t.Effect == Writes:
		if i := slices.Index(t.Args, At); i < len(op.Args) {
			return op.Args[i], true
		}
		return 0, true
	case t.Effect == Combines:
		return op.Args[slices.Index(t.Args, Number)], true
	}
	return 0, false
}

// Nests reports whether the operation compares each row with all rows of other columns.
func (op *Op) Nests() bool { return op.Kind == Partners || op.Kind == Pairs }

// IsLimited reports whether the operation may leave out rows where too many slots are taken.
func (op *Op) IsLimited() bool { return op.Kind == Insert && op.Args[3] != op.Args[2] }

// CombinesEntered reports whether an operation is an update at the slot of a row that the kernel
// enters in a limited table.
func (k *Kernel) CombinesEntered(op *Op) bool {
	return op.Does(Combines) && k.Ops[k.Values[op.Args[0]].Op].IsLimited()
}

// OnlyEnters reports whether rows do nothing but enter one limited table, and combine by its slots.
// No fold needs them, so what they leave is of no use once rows are left out.
func (k *Kernel) OnlyEnters() bool {
	tables := 0
	for i := range k.Ops {
		op := &k.Ops[i]
		switch {
		case op.Epilogue || op.Domain == Uniform:
		case op.IsLimited():
			tables++
		case (op.HasEffect() || op.IsReduction() || op.Cuts()) && !k.CombinesEntered(op):
			return false
		}
	}
	return tables == 1
}

// LeftOut is what the first slot of a hash table has, as a signed number, if rows were left
// out. It is less than the number of any row.
const LeftOut = -2

// Seeks reports whether the operation only reads, and elements of its stream until it
// has found what it looks for.
func (op *Op) Seeks() bool {
	t := op.Traits()
	return t.Effect == Pure && (slices.Contains(t.Args, OfStream) || slices.Contains(t.Args, InStream))
}

// hasStream reports whether operations of the kind touch a stream.
func (t *Traits) hasStream() bool {
	return slices.Contains(t.Args, OfStream) || slices.Contains(t.Res, OfStream) || slices.Contains(t.Args, InStream)
}

// IsLoad reports whether the operation reads an element of its stream.
func (op *Op) IsLoad() bool { return slices.Contains(op.Traits().Res, OfStream) }

// LoadsElement reports whether the operation reads the row's own element.
func (op *Op) LoadsElement() bool { return op.IsLoad() && len(op.Args) == 0 }

// LoadsAt reports whether the operation reads an element at a place.
func (op *Op) LoadsAt() bool { return op.IsLoad() && len(op.Args) > 0 }

// IsMap reports whether the operation applies an element-wise operator.
func (op *Op) IsMap() bool { return slices.Contains(op.Traits().Args, Terms) }

// IsDear reports whether the operation computes more than a store costs.
func (op *Op) IsDear() bool { return op.IsMap() && op.Operator.Cost() == ir.Dear }

// DividesByConstant reports whether op divides an integer by a constant, for which compilers multiply and shift.
func (k *Kernel) DividesByConstant(op *Op) bool {
	return (op.Operator == ir.OpDiv || op.Operator == ir.OpRem) && k.Values[op.Args[1]].Kind.IsInteger() && k.Ops[k.Values[op.Args[1]].Op].Kind == Const
}

// With iterates over the operations, with their numbers, for which all
// conditions hold: for i, op := range k.With((*Op).Cuts).
func (k *Kernel) With(conditions ...func(*Op) bool) iter.Seq2[int, *Op] {
	return func(yield func(int, *Op) bool) {
		for i := range k.Ops {
			op := &k.Ops[i]
			if !slices.ContainsFunc(conditions, func(holds func(*Op) bool) bool { return !holds(op) }) && !yield(i, op) {
				return
			}
		}
	}
}

// Has reports whether all conditions hold for some operation.
func (k *Kernel) Has(conditions ...func(*Op) bool) bool {
	for range k.With(conditions...) {
		return true
	}
	return false
}
