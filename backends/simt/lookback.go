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

// lookBack returns the fold of all earlier tiles, per field. One work-item asks.
func (s *launches) lookBack(e *emission, cut int, ops []int, total []loop.Expr) (earlier []loop.Expr) {
	var st *status
	for i := range s.statuses {
		if s.statuses[i].cut == cut {
			st = &s.statuses[i]
		}
	}
	shared := e.shared(ops)
	e.b.If(loop.Eq(e.lane, loop.Int(0)), func() {
		memory := e.arguments.buffer(st.buffer, ir.U64, plan.ReadsWrites)
		fold := e.states(ops, func(_ int, key stateKey) loop.Expr { return e.identity(key) })
		e.b.If(loop.Gt(e.tile, loop.Int(0)), func() {
			st.publish(e, memory, flagAggregate, total)
			s.ask(e, st, ops, memory, fold)
		}, nil)
		st.publish(e, memory, flagPrefix, e.combineAll(ops, exprsOf(fold), total))
		for j := range fold {
			e.b.Store(shared[j], loop.Int(0), fold[j])
		}
	}, nil)
	e.b.Barrier(loop.GroupScope)
	for j := range shared {
		earlier = append(earlier, e.b.Let("earlier", loop.At(shared[j], loop.Int(0))))
	}
	e.b.Barrier(loop.GroupScope)
	return earlier
}

// batch is how many words are asked for at once: one answer takes about as long
// as many.
const batch = 8

// ask walks back over the tiles before this one and folds what they say. Tile 0
// always says a prefix, so the walk ends there at the latest.
func (s *launches) ask(e *emission, st *status, ops []int, memory *loop.Var, fold []*loop.Var) {
	tiles := max(batch/st.words, 1) // asked at once
	before := e.b.Decl("before", loop.Sub(e.tile, loop.Int(1)))
	spins := e.b.Decl("spins", loop.Int(0))
	walking := e.b.Decl("walking", loop.True)
	words := func(name string) *loop.Var {
		return e.b.Storage(name, loop.ArrayOf(tiles*st.words, loop.ScalarOf(ir.U64)))
	}
	prefixes, aggregates := words("prefixes"), (*loop.Var)(nil)
	if st.words > 1 { // one word alone says by its flag which it is
		aggregates = words("aggregates")
	}
	// load asks tile before - j.
	load := func(j loop.Expr) {
		t := e.b.Let("t", loop.Greatest(loop.Sub(before, j), loop.Int(0)))
		for w := range st.words {
			at := loop.Add(loop.Mul(j, loop.Int(int64(st.words))), loop.Int(int64(w)))
			e.b.Store(prefixes, at, loop.VolatileAt(memory, st.place(t, flagPrefix, w)))
			if aggregates != nil {
				e.b.Store(aggregates, at, loop.VolatileAt(memory, st.place(t, flagAggregate, w)))
			}
		}
	}
	// answer returns the words of tile before - j and whether all are there.
	answer := func(from *loop.Var, j loop.Expr) (list []loop.Expr, ready loop.Expr) {
		ready = loop.True
		for w := range st.words {
			word := e.b.Let("word", loop.At(from, loop.Add(loop.Mul(j, loop.Int(int64(st.words))), loop.Int(int64(w)))))
			list = append(list, word)
			ready = loop.And(ready, loop.Ne(flagOf(word), number(ir.U64, 0)))
		}
		return list, ready
	}
	add := func(words []loop.Expr) {
		e.assignAll(fold, e.combineAll(ops, st.unpack(e, words), exprsOf(fold)))
	}
	e.b.While(walking, func() {
		e.b.For("j", loop.Int(0), loop.Int(int64(tiles)), func(j *loop.Var) { load(j) })
		e.b.For("j", loop.Int(0), loop.Int(int64(tiles)), func(j *loop.Var) {
			e.b.While(walking, func() {
				list, ready := answer(prefixes, j)
				e.b.If(ready, func() {
					add(list)
					if st.words > 1 {
						e.b.Assign(walking, loop.False)
					} else {
						e.b.Assign(walking, loop.Ne(flagOf(list[0]), number(ir.U64, flagPrefix)))
					}
					e.b.Break()
				}, nil)
				if aggregates != nil {
					list, ready = answer(aggregates, j)
					e.b.If(ready, func() {
						add(list)
						e.b.Break()
					}, nil)
				}
				s.wait(e, spins, walking)
				load(j)
			})
		})
		e.b.Assign(before, loop.Sub(before, loop.Int(int64(tiles))))
	})
}

func flagOf(word loop.Expr) loop.Expr { return loop.Apply(ir.OpShr, word, number(ir.U64, 32)) }

// wait counts a question without an answer. Past the limit, or where another
// tile has given up, the tile goes on with what it has: the plan's fallback
// will do the work again.
func (s *launches) wait(e *emission, spins, walking *loop.Var) {
	e.b.Assign(spins, loop.Add(spins, loop.Int(1)))
	e.b.If(loop.Eq(loop.Apply(ir.OpAnd, spins, loop.Int(abortCheck-1)), loop.Int(0)), func() {
		abort := e.arguments.buffer(s.abort, ir.U32, plan.ReadsWrites)
		e.b.If(loop.Ge(spins, loop.Int(s.spinLimit)), func() { e.b.Atomic(loop.AtomicOr, abort, loop.Int(0), number(ir.U32, 1)) }, nil)
		e.b.If(loop.Ne(loop.VolatileAt(abort, loop.Int(0)), number(ir.U32, 0)), func() { e.b.Assign(walking, loop.False) }, nil)
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
