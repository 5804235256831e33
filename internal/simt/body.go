package simt

import (
	"maps"
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// A function writes the text of one launch: its parameters, what it shares in local
// memory, and what is known before the rows.
type function struct {
	*kernel
	lowering  *lowering
	b         *loop.Builder
	arguments *arguments
	residence residence
	retention retention
	local     map[string]*loop.Var
	over      map[string]*loop.Var  // what local storage shares its bytes with
	uniform   map[tile.ID]loop.Expr // known before the rows
	shorts    shortPlaces           // see inside.go
	localID   loop.Expr             // of the work-item in its work-group
	until     int                   // the last phase of this function
	near      map[int]nearTable     // per stream that has been copied to local memory
	effects   bool                  // rows write; else they only feed the folds of a cut
	tabled    bool                  // rows combine in the tables of local memory
	own       *own                  // what the work-group has in global memory; nil if nothing
	chunk     int                   // tiles that the work-group walks through, if more than one
	part      int64                 // rows of a launch at most, in parts
	lastNote  string
}

// A tileBody writes what the work-items that share a tile do with it: they load its
// columns, fold states, and store results.
type tileBody struct {
	*function
	tile         loop.Expr              // number of the tile in the launch
	first        loop.Expr              // number of the tile's first row
	count        loop.Expr              // rows of the tile
	isLastTile   loop.Expr              // whether it is the last of a work-group that walks
	columns      map[int]*loop.Var      // staged columns: this work-item's rows
	before       map[int]*loop.Var      // of staged columns: the row before the tile
	stagedAt     map[int]int64          // of staged columns: the first byte in the arena
	scatters     []*scatterBuffer       // of stores to derived domains
	elements     map[int]*loop.Var      // per collected store of rows of the base: an element per item
	open         map[int]*openSegment   // per domain of segments; see overlap.go
	sources      map[int]*tileSources   // per operation Source, if the tile has found the sources of its rows together
	nestedLoops  map[int]*loop.Var      // per operation of nested loops that the rows of the tile have run together: what they have found
	isOpenStored bool                   // the segment that was open before the tile is stored already
	running      map[stateKey]*loop.Var // states that rows see
	folds        map[stateKey]*loop.Var // states of this work-item's rows alone
	earlier      map[stateKey]loop.Expr // the fold of all earlier tiles
	whole        map[stateKey]loop.Expr // the fold up to the end of the tile
}

// A rowBody evaluates the operations of one row after the other.
type rowBody struct {
	*tileBody
	scanner      selectionScan
	now          int                   // the phase at hand; atEnd after all rows
	closing      int                   // the domain whose last segment closes then
	item         loop.Expr             // the row's number in its work-item
	place        loop.Expr             // and in its tile
	row          loop.Expr             // number of the row, as a counter
	rowBefore    loop.Expr             // number of the row before the one at hand
	isListed     bool                  // it is one of a list
	list         *rowList              // of the subgroup, if rows are listed
	passed       map[int]*passedRows   // per domain whose rows are listed; see serial.go
	counts       loop.Expr             // whether the row at hand counts for folds, nil if it does; see predication.go
	visits       []int                 // domains whose rows are visited behind all others
	isVisited    bool                  // it is one of these
	isWhole      bool                  // all rows of the tile exist
	values       map[tile.ID]loop.Expr // of the row at hand
	kept         map[tile.ID]*loop.Var // values that cross a cut, an element per item
	tables       []*tables             // of the phase at hand
	stretches    map[int]*loop.Var     // per operation that subgroups add up: what this work-item has
	ahead        map[int]loop.Expr     // per load: what the row has loaded before
	firstWords   map[int][]loop.Expr   // per search: the words that the row looks at first, if it has loaded them before
	isLeftOut    map[int]loop.Expr     // per Insert in a limited table: whether the table takes no more rows
	begins       map[int]*loop.Var     // per operation Source that each row searches for: where the rows of its source begin
	settled      map[int]*loop.Var     // per Insert: where a few rows combine; see entered.go
	ofFew        loop.Expr             // which of them the row at hand is
	havePlaces   bool                  // all of them combine beside remembered keys
	common       *common               // and many of the subgroup beside one of these; nil if that is not so
	selectedBits []*loop.Var           // per selection: the bits of this work-item's rows; see selection_store.go
}

// A selectionBody evaluates what is stored of rows that have been selected.
type selectionBody struct {
	*rowBody
	inTile  loop.Expr                       // the number in its tile of a row that was selected
	segment func(scan, field int) loop.Expr // what scans have of the rows since the one selected before it
}

// atEnd is the phase after all rows.
const atEnd = 1 << 30

// newBody begins a function.
func newBody(k *kernel, l *lowering, name string) *rowBody {
	b := loop.NewBuilder(name)
	f := &function{kernel: k, lowering: l, b: b, shorts: shortPlaces{}, arguments: newArguments(b), residence: workgroupTile{}, retention: k.strategy,
		local: map[string]*loop.Var{}, over: map[string]*loop.Var{}, uniform: map[tile.ID]loop.Expr{}}
	t := &tileBody{function: f, columns: map[int]*loop.Var{}, before: map[int]*loop.Var{}, stagedAt: map[int]int64{},
		elements: map[int]*loop.Var{}, open: map[int]*openSegment{}, sources: map[int]*tileSources{}, nestedLoops: map[int]*loop.Var{}, running: map[stateKey]*loop.Var{}, folds: map[stateKey]*loop.Var{},
		earlier: map[stateKey]loop.Expr{}, whole: map[stateKey]loop.Expr{}}
	return &rowBody{tileBody: t, scanner: selectionScanOf(k), kept: map[tile.ID]*loop.Var{}, ahead: map[int]loop.Expr{}, firstWords: map[int][]loop.Expr{}, isLeftOut: map[int]loop.Expr{}, begins: map[int]*loop.Var{}, settled: map[int]*loop.Var{}, passed: map[int]*passedRows{}}
}

// selected returns the body for the rows that have been selected.
func (e *rowBody) selected() *selectionBody { return &selectionBody{rowBody: e} }

// begin writes what is known before the rows.
func (e *rowBody) begin() {
	e.localID = e.b.Let("local_id", &loop.ID{Kind: loop.LocalID})
	e.nameUniform()
}

// nameUniform names what is the same for all rows.
func (e *rowBody) nameUniform() {
	for i := range e.Ops {
		op := &e.Ops[i]
		if op.Domain != tile.Uniform || op.Epilogue {
			continue
		}
		if op.Does(tile.Reports) && e.effects {
			e.b.If(loop.And(loop.Eq(e.localID, loop.Int(0)), loop.Eq(&loop.ID{Kind: loop.WorkgroupID}, loop.Int(0))), func() { e.check(op) }, nil)
		}
		if op.IsPure() && e.uses[op.Res[0]] > 0 {
			e.uniform[op.Res[0]] = e.b.Let(e.name(op.Res[0]), e.pure(op))
		}
	}
}

// loopRows runs a phase over the work-item's rows.
func (e *rowBody) loopRows(phase int) {
	e.now = phase
	e.openTables(phase)
	e.openStretches(phase)
	rows := func() { e.block(0) }
	whole, others := func() { e.eachWhole(rows) }, func() { e.eachRow(false, rows) }
	var listed []int
	if list := e.settling(); len(list) > 0 {
		whole, others = func() { e.eachSettled(list, true, rows) }, func() { e.eachSettled(list, false, rows) }
	} else if listed = e.passing(); len(listed) > 0 {
		whole = e.eachPassing(listed, rows)
	}
	assumed := e.assumptions()
	e.assuming(loop.Eq(e.count, loop.Int(e.kernel.rows())), assumed, whole, others)
	e.keepPassed(listed, assumed)
	e.closeTables()
	e.closeStretches()
	if phase == 0 {
		e.scanner.count(e)
	}
}

// block writes what happens in the phase at hand for the rows of domain d.
func (e *rowBody) block(d int) {
	for i := range e.Ops {
		op := &e.Ops[i]
		if op.Domain != d || op.Epilogue {
			continue
		}
		if op.IsPrefix() && (e.now == e.phase[i]+1 || e.now == atEnd) {
			e.replay(i)
		}
		if e.now == e.phase[i] || e.now == atEnd {
			e.op(i)
		}
	}
	if e.now == 0 {
		e.mark(d)
	}
	for child := d + 1; child < len(e.Domains); child++ {
		if e.Domains[child].Parent == d && e.isBusy(child) {
			e.child(child)
		}
	}
	for i := range e.Ops {
		if op := &e.Ops[i]; op.Domain == d && !op.Epilogue && op.IsPrefix() && op.Exclusive && e.now == e.phase[i]+1 {
			e.advance(e.running, i, e.exprs(op.Args))
		}
	}
}

// child writes the rows of a derived domain.
func (e *rowBody) child(d int) {
	if slices.Contains(e.visits, d) {
		e.pass(d)
		return
	}
	d = e.innermost(d)
	domain := &e.Domains[d]
	if e.addsUp(d) {
		e.counted(e.expr(domain.Guard), func() { e.block(d) })
		return
	}
	if domain.Kind != tile.Close {
		e.nested(e.expr(domain.Guard), func() { e.block(d) })
		return
	}
	if e.open[d] == nil || e.now == atEnd {
		e.nested(loop.And(e.expr(domain.Guard), e.expr(domain.Open)), func() { e.block(d) })
		return
	}
	e.nested(e.expr(domain.Guard), func() {
		e.nested(e.expr(domain.Open), func() { e.block(d) })
		e.b.If(loop.Not(e.expr(domain.Open)), func() { e.hold(e.open[d]) }, nil)
	})
}

// nested runs body under a condition; what it defines ends with it.
func (e *rowBody) nested(condition loop.Expr, body func()) {
	outer := e.values
	e.values = maps.Clone(outer)
	e.b.If(condition, body, nil)
	e.values = outer
}

// crosses reports whether v, a value of rows, is alive across a cut: a later phase
// of this function uses it and does not compute it again.
func (e *function) crosses(v tile.ID) bool {
	if !e.retention.keepsValues() {
		return false
	}
	later := e.used[v] &^ (1<<(e.known(v)+1) - 1) & (1<<(e.until+1) - 1)
	return later != 0 && !e.isRecomputed(v)
}

// isBusy reports whether anything happens in the phase at hand for the rows of
// d, or of those derived from it.
func (e *rowBody) isBusy(d int) bool {
	for i := range e.Ops {
		op := &e.Ops[i]
		if op.Epilogue || !e.Inside(op.Domain, d) {
			continue
		}
		if e.now == atEnd {
			return true
		}
		if e.now == 0 && e.scanner.defers(e.function, i) {
			continue
		}
		if e.now == e.phase[i] && (e.isNeeded(i)) || op.IsPrefix() && e.now == e.phase[i]+1 {
			return true
		}
	}
	return e.now == 0 && slices.ContainsFunc(e.selections, func(p selection) bool { return e.Inside(p.parent, d) })
}

// isNeeded reports whether the operation does something at its own place.
func (e *function) isNeeded(i int) bool {
	op := &e.Ops[i]
	if op.HasEffect() && !op.IsRunning() {
		return e.effects
	}
	return op.IsRunning() || len(op.Res) > 0 && e.crosses(op.Res[0])
}

// define names the value of v, and keeps it if a later phase needs it.
func (e *rowBody) define(v tile.ID, x loop.Expr) {
	e.named(v, x)
	if e.now == atEnd || !e.crosses(v) {
		return
	}
	e.keep(v)
}

// keep stores the value of v for a later phase: an element of an array per row,
// or a bit of a word.
func (e *rowBody) keep(v tile.ID) {
	kept := e.kept[v]
	if e.keepsBits(v) {
		bit := loop.Apply(ir.OpShl, loop.ToKind(ir.U32, e.values[v]), loop.ToKind(ir.U32, e.item))
		e.b.Assign(kept, loop.Apply(ir.OpOr, kept, bit))
		return
	}
	e.b.Store(kept, e.item, e.values[v])
}

// recall returns what keep stored.
func (e *rowBody) recall(v tile.ID) loop.Expr {
	kept := e.kept[v]
	if !e.keepsBits(v) {
		return loop.At(kept, e.item)
	}
	return isSet(kept, e.item)
}

// isSet reports whether the bit of an item is set.
func isSet(bits, item loop.Expr) loop.Expr {
	bit := loop.Apply(ir.OpAnd, loop.Apply(ir.OpShr, bits, loop.ToKind(ir.U32, item)), number(ir.U32, 1))
	return loop.Ne(bit, number(ir.U32, 0))
}

// bitsOfRows is how many rows a word has bits for.
const bitsOfRows = 32

// keepsBits reports whether the rows' values of v are the bits of a word.
func (e *function) keepsBits(v tile.ID) bool {
	return e.Values[v].Kind == ir.Bool && e.items <= bitsOfRows
}

// declareKept declares what keeps the values that cross a cut.
func (e *rowBody) declareKept() {
	for range e.selections {
		e.selectedBits = append(e.selectedBits, e.b.Decl("selected", number(ir.U32, 0)))
	}
	for v := 1; v < len(e.Values); v++ {
		id := tile.ID(v)
		if !e.crosses(id) {
			continue
		}
		name := e.name(id) + "_kept"
		if e.keepsBits(id) {
			e.kept[id] = e.b.Decl(name, number(ir.U32, 0))
		} else {
			e.kept[id] = e.perRow(name, e.Values[v].Kind, e.Values[v].Domain == 0)
		}
	}
}

func (e *function) name(v tile.ID) string {
	if name := e.Values[v].Name; name != "" {
		return name
	}
	return "x"
}

func (e *function) note(op *tile.Op) {
	if text := e.lines(op.Pos); text != "" && text != e.lastNote {
		e.lastNote = text
		e.b.Note(text)
	}
}

// expr returns v for the row at hand.
func (e *rowBody) expr(v tile.ID) loop.Expr {
	if x, ok := e.found(v); ok {
		return x
	}
	i := e.Values[v].Op
	op := &e.Ops[i]
	switch {
	case e.now == atEnd && op.IsRunning() && !op.IsChunkwise():
		return widened(e.running[stateKey{i, slices.Index(op.Res, v)}], e.Values[v].Kind)
	case e.now == atEnd:
		return e.pure(op)
	case e.crosses(v) && e.known(v) < e.now && !e.isListed:
		return e.named(v, e.recall(v))
	case (e.phase[i] < e.now || e.isListed || e.isVisited) && !e.isFree(v) && e.uses[v] > 1:
		return e.named(v, e.pure(op))
	}
	return e.pure(op)
}

// found returns v if it is known for the row at hand.
func (e *rowBody) found(v tile.ID) (x loop.Expr, ok bool) {
	if x, ok = e.uniform[v]; !ok {
		x, ok = e.values[v]
	}
	return x, ok
}

// named gives v a name for the row at hand.
func (e *rowBody) named(v tile.ID, x loop.Expr) loop.Expr {
	e.values[v] = e.b.Let(e.name(v), x)
	e.shorts.note(e.values[v], x)
	return e.values[v]
}

func (e *rowBody) exprs(list []tile.ID) []loop.Expr {
	args := make([]loop.Expr, len(list))
	for i, v := range list {
		args[i] = e.expr(v)
	}
	return args
}
