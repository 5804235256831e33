package simt

import (
	"fmt"

	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/ir/loop"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/tile"
)

// Look-back with decoupled tiles: Merrill and Garland, Single-pass Parallel
// Prefix Scan with Decoupled Look-back, 2016. A tile publishes the fold of its
// own rows, then adds up what the tiles before it have published until one has
// published a whole prefix, and publishes its own. Words travel with a flag in
// one atomic exchange of 64 bits, so no order among words is assumed: a state
// of one word says by its flag which of the two it is, a wider one has words
// for both. Tiles are numbered by a ticket, so that those before are running.

// status is how the tiles of a launch tell each other the state of a cut.
type status struct {
	cut    int
	buffer string
	fields []field
	words  int // of 32 bits
}

// field is where a field of the state lies in the words.
type field struct {
	stateKey
	kind  ir.Kind
	count bool // counts rows of the launch: fits 32 bits
	word  int  // the first of one or two
	bit   int  // of a bool within the word
}

// The flags of a word.
const (
	flagAggregate = 1 // of the tile's own rows
	flagPrefix    = 2 // of all rows up to the tile's last
)

// spinLimit is how often a tile asks before it gives up: seconds, on any device.
const spinLimit = 1 << 24

// abortCheck is how many questions pass between looks at the abort word.
const abortCheck = 1 << 10

// addStatus lays out the status of a cut.
func (s *launches) addStatus(cut int, ops []int) {
	st := status{cut: cut, buffer: s.names.fresh(fmt.Sprintf("%s_status%d", s.Name, cut))}
	bools := -1 // the word that has room for another bool
	bit := 0
	for _, key := range s.fields(ops) {
		f := field{stateKey: key, kind: s.kind(key), count: s.countsRows(key.op, key.field), word: st.words}
		switch {
		case f.kind == ir.Bool && bools >= 0 && bit < 32:
			f.word, f.bit = bools, bit
			bit++
		case f.kind == ir.Bool:
			bools, bit = st.words, 1
			st.words++
		case f.kind.Size() == 8 && !f.count:
			st.words += 2
		default:
			st.words++
		}
		st.fields = append(st.fields, f)
	}
	perTile := int64(st.words)
	if st.words > 1 {
		perTile *= 2
	}
	s.statuses = append(s.statuses, st)
	s.addBuffer(plan.Buffer{Name: st.buffer, Kind: plan.U64, Role: plan.Status,
		Length: plan.Mul(plan.Max(s.tiles, plan.Const(1)), plan.Const(perTile))})
	if s.tickets == "" {
		s.tickets = s.names.fresh(s.Name + "_tickets")
		s.addBuffer(plan.Buffer{Name: s.tickets, Kind: plan.U32, Role: plan.Status, Length: plan.Const(1)})
	}
	if s.abort == "" {
		s.abort = s.names.fresh("abort")
		s.out.Buffers = append(s.out.Buffers, plan.Buffer{Name: s.abort, Kind: plan.U32, Role: plan.Abort, Length: plan.Const(1)})
	}
}

// countsRows reports whether field f of a scan adds up nothing but 0 and 1,
// perhaps from the last head on.
func (k *kernel) countsRows(i, f int) bool {
	op := &k.Ops[i]
	value := 0
	if op.Monoid.Kind == tile.Segmented {
		value = 1
	}
	if op.Monoid.Kind == tile.Ordered || f != value || op.Monoid.Fields[f].Kind != ir.I64 || !adds(op.Monoid.Combine[f]) {
		return false
	}
	leaf := &k.Ops[k.Values[op.Args[f]].Op]
	switch leaf.Kind {
	case tile.Const:
		return leaf.Const.Bits <= 1
	case tile.Map:
		return leaf.Operator == ir.OpCast && k.Values[leaf.Args[0]].Kind == ir.Bool
	}
	return false
}

// adds reports whether a combination is a sum, or one that starts anew at heads.
func adds(e *tile.Expr) bool {
	if e.Operator == ir.OpSelect {
		e = e.Args[2]
	}
	return e.Operator == ir.OpAdd
}

// ticket numbers the tile, in the order in which groups begin.
func (s *launches) ticket(e *emission) loop.Expr {
	shared := e.localWord("ticket")
	e.b.If(loop.Eq(e.lane, loop.Int(0)), func() {
		tickets := e.arguments.buffer(s.tickets, ir.U32, plan.ReadsWrites)
		taken := e.b.AtomicOld("taken", loop.AtomicAdd, tickets, loop.Int(0), loop.ConstOf(ir.Int(ir.U32, 1)))
		e.b.Store(shared, loop.Int(0), taken)
	}, nil)
	e.b.Barrier(loop.GroupScope)
	return e.b.Let("tile", loop.ToCounter(loop.At(shared, loop.Int(0))))
}

// localWord returns a word of local memory.
func (e *emission) localWord(name string) *loop.Var {
	name = "shared_" + name
	if e.local[name] == nil {
		e.local[name] = &loop.Var{Name: name, T: loop.ArrayOf(1, loop.ScalarOf(ir.U32)).In(loop.Local)}
	}
	return e.local[name]
}

// pack returns the words of a state.
func (st *status) pack(e *emission, state []loop.Expr) []loop.Expr {
	words := make([]loop.Expr, st.words)
	add := func(word int, x loop.Expr) {
		if words[word] != nil {
			x = loop.Apply(ir.OpOr, words[word], x)
		}
		words[word] = x
	}
	for i, f := range st.fields {
		x := state[i]
		switch {
		case f.kind == ir.Bool:
			add(f.word, loop.Apply(ir.OpShl, loop.ToKind(ir.U32, x), loop.ConstOf(ir.Int(ir.U32, int64(f.bit)))))
			continue
		case f.kind.IsFloat() || f.kind == ir.Char8:
			x = loop.BitsOf(x)
		}
		if f.kind.Size() < 8 || f.count {
			add(f.word, loop.ToKind(ir.U32, x))
			continue
		}
		x = e.b.Let("bits", loop.ToKind(ir.U64, x))
		add(f.word, loop.ToKind(ir.U32, x))
		add(f.word+1, loop.ToKind(ir.U32, loop.Apply(ir.OpShr, x, number(ir.U64, 32))))
	}
	return words
}

// unpack returns the state that words, of 64 bits with their flags, hold.
func (st *status) unpack(e *emission, words []loop.Expr) []loop.Expr {
	state := make([]loop.Expr, len(st.fields))
	for i, f := range st.fields {
		low := loop.ToKind(ir.U32, words[f.word])
		switch {
		case f.kind == ir.Bool:
			bit := loop.Apply(ir.OpAnd, loop.Apply(ir.OpShr, low, number(ir.U32, int64(f.bit))), number(ir.U32, 1))
			state[i] = loop.Ne(bit, number(ir.U32, 0))
		case f.kind == ir.F32:
			state[i] = loop.FromBits(f.kind, low)
		case f.kind.Size() < 8 || f.count:
			state[i] = loop.ToKind(f.kind, low)
		default:
			high := loop.Apply(ir.OpShl, words[f.word+1], number(ir.U64, 32))
			bits := loop.Apply(ir.OpOr, high, loop.ToKind(ir.U64, low))
			if f.kind == ir.F64 || f.kind == ir.Char8 {
				state[i] = loop.FromBits(f.kind, bits)
			} else {
				state[i] = loop.ToKind(f.kind, bits)
			}
		}
		state[i] = e.b.Let("theirs", state[i])
	}
	return state
}

func number(k ir.Kind, n int64) loop.Expr { return loop.ConstOf(ir.Int(k, n)) }

// place returns the index of a word of a tile's status; flag chooses between
// the words of its own rows and those of its prefix where they differ.
func (st *status) place(t loop.Expr, flag, word int) loop.Expr {
	if st.words == 1 {
		return t
	}
	at := (flag-flagAggregate)*st.words + word
	return loop.Add(loop.Mul(t, loop.Int(int64(2*st.words))), loop.Int(int64(at)))
}

// publish tells the tiles behind a state.
func (st *status) publish(e *emission, memory *loop.Var, flag int, state []loop.Expr) {
	for w, word := range st.pack(e, state) {
		x := loop.Apply(ir.OpOr, loop.ToKind(ir.U64, word), loop.ConstOf(ir.Scalar{Kind: ir.U64, Bits: uint64(flag) << 32}))
		e.b.AtomicOld("former", loop.AtomicExchange, memory, st.place(e.tile, flag, w), x)
	}
}

// lookBack returns the fold of all earlier tiles, per field: the group walks back
// over them, a window of tiles at a time, a work-item for each.
func (s *launches) lookBack(e *emission, cut int, ops []int, total []loop.Expr) (earlier []loop.Expr) {
	var st *status
	for i := range s.statuses {
		if s.statuses[i].cut == cut {
			st = &s.statuses[i]
		}
	}
	memory := e.arguments.buffer(st.buffer, ir.U64, plan.ReadsWrites)
	isFirst := loop.Eq(e.lane, loop.Int(0))
	identity := func(_ int, key stateKey) loop.Expr { return e.identity(key) }
	fold := e.states(ops, identity)
	e.b.If(loop.And(isFirst, loop.Gt(e.tile, loop.Int(0))), func() { st.publish(e, memory, flagAggregate, total) }, nil)
	before := e.b.Decl("before", loop.Sub(e.tile, loop.Int(1)))
	window := int64(min(e.workgroup, mostWindow))
	nearest := e.localWord("nearest") // the first of the window that told a prefix
	e.b.While(loop.Ge(before, loop.Int(0)), func() {
		e.b.If(isFirst, func() { e.b.Store(nearest, loop.Int(0), number(ir.U32, window)) }, nil)
		e.b.Barrier(loop.GroupScope)
		theirs := e.states(ops, identity)
		e.b.If(loop.And(loop.Lt(e.lane, loop.Int(window)), loop.Ge(before, e.lane)), func() {
			s.ask(e, st, memory, loop.Sub(before, e.lane), theirs, func() {
				e.b.Atomic(loop.AtomicMin, nearest, loop.Int(0), loop.ToKind(ir.U32, e.lane))
			})
		}, nil)
		e.b.Barrier(loop.GroupScope)
		last := e.b.Let("last", loop.ToCounter(loop.At(nearest, loop.Int(0))))
		e.b.If(loop.Gt(e.lane, last), func() {
			e.assignAll(theirs, e.named(ops, identity))
		}, nil)
		part := e.foldWindow(ops, theirs, last, window)
		e.assignAll(fold, e.combineAll(ops, part, exprsOf(fold)))
		e.b.Assign(before, loop.Choose(loop.Lt(last, loop.Int(window)), loop.Int(-1), loop.Sub(before, loop.Int(window))))
	})
	e.b.If(isFirst, func() { st.publish(e, memory, flagPrefix, e.combineAll(ops, exprsOf(fold), total)) }, nil)
	return exprsOf(fold)
}

// mostWindow is how many tiles are asked at once.
const mostWindow = 64

// named returns a value per field of some operations.
func (e *emission) named(ops []int, value func(j int, key stateKey) loop.Expr) (list []loop.Expr) {
	for j, key := range e.fields(ops) {
		list = append(list, value(j, key))
	}
	return list
}

// foldWindow folds the states of work-items last to 0, in this order, and
// returns the result to all.
func (e *emission) foldWindow(ops []int, mine []*loop.Var, last loop.Expr, window int64) []loop.Expr {
	shared := e.shared(ops)
	store := func() {
		for j := range mine {
			e.b.Store(shared[j], e.lane, mine[j])
		}
	}
	e.b.If(loop.Lt(e.lane, loop.Int(window)), store, nil)
	e.b.Barrier(loop.GroupScope)
	distance := e.b.Decl("distance", loop.Int(1))
	e.b.While(loop.And(loop.Le(distance, last), loop.Lt(distance, loop.Int(window))), func() {
		pair := loop.Apply(ir.OpAnd, e.lane, loop.Sub(loop.Add(distance, distance), loop.Int(1)))
		e.b.If(loop.And(loop.Eq(pair, loop.Int(0)), loop.Lt(loop.Add(e.lane, distance), loop.Int(window))), func() {
			var other []loop.Expr
			for j := range shared {
				other = append(other, e.b.Let("other", loop.At(shared[j], loop.Add(e.lane, distance))))
			}
			e.assignAll(mine, e.combineAll(ops, other, exprsOf(mine)))
			store()
		}, nil)
		e.b.Barrier(loop.GroupScope)
		e.b.Assign(distance, loop.Add(distance, distance))
	})
	var result []loop.Expr
	for j := range shared {
		result = append(result, e.b.Let("part", loop.At(shared[j], loop.Int(0))))
	}
	e.b.Barrier(loop.GroupScope)
	return result
}

// ask waits until tile t has told a state, stores it, and runs found where it
// is a prefix.
func (s *launches) ask(e *emission, st *status, memory *loop.Var, t loop.Expr, state []*loop.Var, found func()) {
	spins := e.b.Decl("spins", loop.Int(0))
	waiting := e.b.Decl("waiting", loop.True)
	read := func(flag int) (words []loop.Expr, ready loop.Expr) {
		ready = loop.True
		for w := range st.words {
			word := e.b.Let("word", loop.VolatileAt(memory, st.place(t, flag, w)))
			words = append(words, word)
			ready = loop.And(ready, loop.Ne(flagOf(word), number(ir.U64, 0)))
		}
		return words, ready
	}
	take := func(words []loop.Expr) {
		e.assignAll(state, st.unpack(e, words))
		e.b.Assign(waiting, loop.False)
	}
	e.b.While(waiting, func() {
		if st.words == 1 { // its flag says which of the two it is
			words, ready := read(flagPrefix)
			e.b.If(ready, func() {
				take(words)
				e.b.If(loop.Eq(flagOf(words[0]), number(ir.U64, flagPrefix)), found, nil)
			}, func() { s.wait(e, spins, waiting, found) })
			return
		}
		words, ready := read(flagPrefix)
		others, otherReady := read(flagAggregate)
		e.b.If(ready, func() {
			take(words)
			found()
		}, func() {
			e.b.If(otherReady, func() { take(others) }, func() { s.wait(e, spins, waiting, found) })
		})
	})
}

func flagOf(word loop.Expr) loop.Expr { return loop.Apply(ir.OpShr, word, number(ir.U64, 32)) }

// wait counts a question without an answer. Past the limit, or where another
// tile has given up, the work-item stops asking, and the walk ends with what it
// has: the plan's fallback will do the work again.
func (s *launches) wait(e *emission, spins, waiting *loop.Var, found func()) {
	e.b.Assign(spins, loop.Add(spins, loop.Int(1)))
	e.b.If(loop.Eq(loop.Apply(ir.OpAnd, spins, loop.Int(abortCheck-1)), loop.Int(0)), func() {
		abort := e.arguments.buffer(s.abort, ir.U32, plan.ReadsWrites)
		e.b.If(loop.Ge(spins, loop.Int(s.spinLimit)), func() { e.b.Atomic(loop.AtomicOr, abort, loop.Int(0), number(ir.U32, 1)) }, nil)
		e.b.If(loop.Ne(loop.VolatileAt(abort, loop.Int(0)), number(ir.U32, 0)), func() {
			e.b.Assign(waiting, loop.False)
			found()
		}, nil)
	}, nil)
}

// endLastTile does what comes after all rows, or leaves it what it needs.
func (s *launches) endLastTile(e *emission) {
	last := loop.Sub(loop.Greatest(loop.ToCounter(e.arguments.value("tiles", s.tiles)), loop.Int(1)), loop.Int(1))
	e.b.If(loop.And(loop.Eq(e.lane, loop.Int(0)), loop.Eq(e.tile, last)), func() {
		e.now = atEnd
		e.values = map[tile.ID]loop.Expr{}
		for _, cut := range s.gridCuts() {
			for _, key := range s.fields(s.gridScans(cut)) {
				if s.lastTileEnds() {
					e.running[key] = e.b.Decl("total", e.whole[key])
				} else {
					e.b.Store(e.state(s.totals[key], key, plan.Writes), loop.Int(0), e.whole[key])
				}
			}
		}
		if s.lastTileEnds() {
			e.end()
		}
	}, nil)
}
