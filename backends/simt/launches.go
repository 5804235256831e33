package simt

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/ir/loop"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/tile"
)

// launches is the making of the launches of one kernel.
type launches struct {
	*lowering
	*kernel
	logical  plan.Kernel
	span     plan.Expr           // rows of the launch
	tiles    plan.Expr           // how many tiles they are
	lookback bool                // tiles tell each other; else a launch per cut publishes their folds
	states   map[stateKey]string // buffers of an element per tile
	totals   map[stateKey]string // buffers of one element
	statuses []status            // of the cuts, under look-back
	tickets  string              // the buffer that numbers tiles, under look-back
}

// lower writes the functions of the kernel and the steps that launch them.
func (s *launches) lower() {
	for _, cut := range s.gridCuts() {
		ops := s.gridScans(cut)
		if s.lookback {
			s.addStatus(cut, ops)
			continue
		}
		s.states = s.buffers(s.states, ops, "tile", plan.Max(s.tiles, plan.Const(1)))
		s.totals = s.buffers(s.totals, ops, "total", plan.Const(1))
		s.launch(s.sum(cut), s.span, plan.Expr{}, plan.ForwardNone)
		s.launch(s.scan(cut), s.tiles, plan.Const(1), plan.ForwardNone)
	}
	if reductions := s.reductions(); len(reductions) > 0 {
		s.states = s.buffers(s.states, reductions, "tile", plan.Max(s.tiles, plan.Const(1)))
	}
	forward := plan.ForwardNone
	if s.lookback {
		forward = plan.ForwardTicket
		if s.hasEnd() && !s.lastTileEnds() {
			for _, cut := range s.gridCuts() {
				s.totals = s.buffers(s.totals, s.gridScans(cut), "total", plan.Const(1))
			}
		}
	}
	s.launch(s.main(), s.span, s.grid(), forward)
	if s.hasEnd() && !s.lastTileEnds() {
		s.launch(s.finish(), plan.Const(1), plan.Const(1), plan.ForwardNone)
	}
}

// lastTileEnds reports whether the last tile knows all that comes after the rows.
func (s *launches) lastTileEnds() bool {
	return s.lookback && len(s.reductions()) == 0 && !s.hasChunks()
}

// grid returns the groups of the launch that does the work: one at least where
// something is done even without rows.
func (s *launches) grid() plan.Expr {
	if s.lookback && s.hasEnd() || slices.ContainsFunc(s.Ops, func(op tile.Op) bool { return op.Domain == tile.Uniform && !op.Epilogue && op.Kind == tile.Check }) {
		return plan.Max(plan.CeilDiv(plan.Rows(), plan.Const(s.kernel.rows())), plan.Const(1))
	}
	return plan.Expr{}
}

// buffers adds a buffer for each field of some operations.
func (s *launches) buffers(to map[stateKey]string, ops []int, suffix string, length plan.Expr) map[stateKey]string {
	if to == nil {
		to = map[stateKey]string{}
	}
	for _, key := range s.fields(ops) {
		name := s.names.fresh(fmt.Sprintf("%s_%s%d", s.Name, suffix, len(to)))
		to[key] = name
		s.addBuffer(plan.Buffer{Name: name, Kind: plan.Kind(s.kind(key).String()), Length: length, Role: plan.Temporary})
	}
	return to
}

// function begins a function of the kernel.
func (s *launches) function(name string) *emission {
	return newEmission(s.kernel, s.lowering, s.names.fresh(name+s.suffix))
}

// sum writes the launch that folds each tile for a cut.
func (s *launches) sum(cut int) *emission {
	e := s.function(fmt.Sprintf("%s_sum%d", s.Name, cut))
	e.until = cut
	s.passes(e)
	e.loopRows(cut)
	ops := s.gridScans(cut)
	_, total := e.groupScan(ops, e.folded(ops))
	e.b.If(loop.Eq(e.lane, loop.Int(0)), func() {
		for j, key := range s.fields(ops) {
			e.b.Store(e.state(s.states[key], key, plan.Writes), e.tile, total[j])
		}
	}, nil)
	return e
}

// prefix returns the fold of all earlier tiles, per field.
func (s *launches) prefix(e *emission, cut int, ops []int, total []loop.Expr) (earlier []loop.Expr) {
	if s.lookback && len(ops) > 0 {
		return s.lookBack(e, cut, ops, total)
	}
	for _, key := range s.fields(ops) {
		earlier = append(earlier, e.b.Let("earlier", loop.At(e.state(s.states[key], key, plan.Reads), e.tile)))
	}
	return earlier
}

// tileRows names the rows of the tile.
func (e *emission) tileRows() {
	size := e.kernel.rows()
	offset := e.b.Let("offset", loop.Mul(e.tile, loop.Int(size)))
	e.first = e.b.Let("first", loop.Add(e.arguments.row0, offset))
	rest := e.b.Let("rest", loop.Sub(e.arguments.rows, offset))
	e.count = e.b.Let("count", loop.Choose(loop.Lt(rest, loop.Int(size)), rest, loop.Int(size)))
}

// passes runs the phases before e.until.
func (s *launches) passes(e *emission) {
	e.begin()
	if s.lookback {
		e.tile = s.ticket(e)
	} else {
		e.tile = e.b.Let("tile", &loop.ID{Kind: loop.GroupID})
	}
	e.tileRows()
	e.stage()
	e.declareKept()
	for _, i := range s.reductions() {
		e.declareFolds([]int{i})
	}
	for phase := range e.until {
		e.declareFolds(s.cuts[phase])
		e.loopRows(phase)
		e.cut(phase, func(ops []int, total []loop.Expr) []loop.Expr { return s.prefix(e, phase, ops, total) })
	}
	if e.until < len(s.cuts) {
		e.declareFolds(s.cuts[e.until])
	}
}

// scan writes the launch of one group that turns the folds of the tiles into
// prefixes.
func (s *launches) scan(cut int) *emission {
	e := s.function(fmt.Sprintf("%s_scan%d", s.Name, cut))
	e.lane = e.b.Let("lane", &loop.ID{Kind: loop.LocalID})
	ops := s.gridScans(cut)
	keys := s.fields(ops)
	carry := e.scanTiles(ops, e.arguments.rows,
		func(j int) *loop.Var { return e.state(s.states[keys[j]], keys[j], plan.ReadsWrites) },
		func(j int) *loop.Var { return e.state(s.states[keys[j]], keys[j], plan.ReadsWrites) })
	e.b.If(loop.Eq(e.lane, loop.Int(0)), func() {
		for j, key := range keys {
			e.b.Store(e.state(s.totals[key], key, plan.Writes), loop.Int(0), carry[j])
		}
	}, nil)
	return e
}

// main writes the launch that does the work of the rows.
func (s *launches) main() *emission {
	e := s.function(s.Name)
	e.until, e.effects = len(s.cuts), true
	s.passes(e)
	e.pack()
	e.loopRows(e.until)
	e.deliver()
	e.publishReductions(s.states)
	if s.lookback && s.hasEnd() {
		s.endLastTile(e)
	}
	return e
}

// finish writes the launch of one group after all rows.
func (s *launches) finish() *emission {
	e := s.function(s.Name + "_finish")
	e.until, e.effects, e.now = len(s.cuts), true, atEnd
	e.lane = e.b.Let("lane", &loop.ID{Kind: loop.LocalID})
	for _, cut := range s.gridCuts() {
		for _, key := range s.fields(s.gridScans(cut)) {
			e.running[key] = e.b.Decl("total", loop.At(e.state(s.totals[key], key, plan.Reads), loop.Int(0)))
		}
	}
	for _, i := range s.reductions() {
		tiles := loop.ToCounter(e.arguments.value("tiles", s.tiles))
		keys := s.fields([]int{i})
		carry := e.scanTiles([]int{i}, tiles, func(j int) *loop.Var { return e.state(s.states[keys[j]], keys[j], plan.Reads) }, nil)
		for j, key := range keys {
			e.running[key] = carry[j]
		}
	}
	e.values = map[tile.ID]loop.Expr{}
	for i := range s.Ops {
		if op := &s.Ops[i]; op.Kind == tile.ScanTotals {
			e.scanTotals(i, loop.ToCounter(e.arguments.value("tiles", s.tiles)))
		}
	}
	e.b.If(loop.Eq(e.lane, loop.Int(0)), e.end, nil)
	return e
}

// state returns a buffer of states.
func (e *emission) state(buffer string, key stateKey, access plan.Access) *loop.Var {
	return e.arguments.buffer(buffer, e.kind(key), access)
}

// declareFolds declares the states of a work-item's own rows.
func (e *emission) declareFolds(ops []int) {
	for _, key := range e.fields(ops) {
		e.folds[key] = e.b.Decl(e.Ops[key.op].Monoid.Fields[key.field].Name, e.identity(key))
	}
}

// folded returns the states that declareFolds declared.
func (e *emission) folded(ops []int) (list []loop.Expr) {
	for _, key := range e.fields(ops) {
		list = append(list, e.folds[key])
	}
	return list
}

// cut makes the states that the rows of the next phase see: the fold of all
// earlier tiles, which the scheme gives, and of earlier work-items.
func (e *emission) cut(phase int, prefix func(ops []int, total []loop.Expr) []loop.Expr) {
	ops := e.cuts[phase]
	before, total := e.groupScan(ops, e.folded(ops))
	var gridTotal []loop.Expr
	for _, part := range e.parts(ops, total) {
		if e.Ops[part.op].Kind == tile.Scan {
			gridTotal = append(gridTotal, part.state...)
		}
	}
	grid := e.gridScans(phase)
	earlier := prefix(grid, gridTotal)
	if e.until == len(e.cuts) && len(grid) > 0 {
		whole := e.combineAll(grid, earlier, gridTotal)
		for j, key := range e.fields(grid) {
			e.earlier[key], e.whole[key] = earlier[j], whole[j]
		}
	}
	for _, part := range e.parts(ops, before) {
		op := &e.Ops[part.op]
		start := part.state
		if op.Kind == tile.Scan {
			n := len(op.Monoid.Fields)
			start = e.combine(op.Monoid, earlier[:n], start)
			earlier = earlier[n:]
		}
		for f := range start {
			e.running[stateKey{part.op, f}] = e.b.Decl(op.Monoid.Fields[f].Name, start[f])
		}
	}
	for _, part := range e.parts(ops, total) {
		if op := &e.Ops[part.op]; op.Kind == tile.ChunkScan && e.effects {
			e.b.If(loop.Eq(e.lane, loop.Int(0)), func() { e.storeChunk(op, part.state) }, nil)
		}
	}
}

// part is the state of one operation.
type part struct {
	op    int
	state []loop.Expr
}

// parts divides the joint state of some operations.
func (k *kernel) parts(ops []int, state []loop.Expr) (list []part) {
	for _, i := range ops {
		n := len(k.Ops[i].Monoid.Fields)
		list = append(list, part{i, state[:n]})
		state = state[n:]
	}
	return list
}

// storeChunk stores the fold of a chunk, which is the tile.
func (e *emission) storeChunk(op *tile.Op, total []loop.Expr) {
	chunk := loop.Add(loop.Div(e.arguments.row0, loop.Int(e.kernel.rows())), e.tile)
	for f, stream := range op.Totals {
		e.b.Store(e.stream(stream), chunk, total[f])
	}
}

// publishReductions stores the fold of the tile for each reduction.
func (e *emission) publishReductions(states map[stateKey]string) {
	for _, i := range e.reductions() {
		_, total := e.groupScan([]int{i}, e.folded([]int{i}))
		e.b.If(loop.Eq(e.lane, loop.Int(0)), func() {
			for j, key := range e.fields([]int{i}) {
				e.b.Store(e.state(states[key], key, plan.Writes), e.tile, total[j])
			}
		}, nil)
	}
}

// scanTiles lets one group walk through a state per tile: it stores the fold
// of all earlier tiles for each, unless to is nil, and returns that of all.
func (e *emission) scanTiles(ops []int, tiles loop.Expr, from, to func(j int) *loop.Var) (carry []*loop.Var) {
	identity := func(_ int, key stateKey) loop.Expr { return e.identity(key) }
	carry = e.states(ops, identity)
	first := e.b.Decl("first", loop.Int(0))
	e.b.While(loop.Lt(first, tiles), func() {
		at := e.b.Let("at", loop.Add(first, e.lane))
		mine := e.states(ops, identity)
		e.b.If(loop.Lt(at, tiles), func() {
			for j := range mine {
				e.b.Assign(mine[j], loop.At(from(j), at))
			}
		}, nil)
		before, total := e.groupScan(ops, exprsOf(mine))
		if to != nil {
			e.b.If(loop.Lt(at, tiles), func() {
				for j, x := range e.combineAll(ops, exprsOf(carry), before) {
					e.b.Store(to(j), at, x)
				}
			}, nil)
		}
		e.assignAll(carry, e.combineAll(ops, exprsOf(carry), total))
		e.b.Assign(first, loop.Add(first, loop.Int(int64(e.workgroup))))
	})
	return carry
}

// scanTotals turns the folds of chunks into the offsets of chunks.
func (e *emission) scanTotals(i int, chunks loop.Expr) {
	op := &e.Ops[i]
	carry := e.scanTiles([]int{i}, chunks,
		func(j int) *loop.Var {
			s := e.Streams[op.Totals[j]]
			return e.arguments.buffer(s.Buffer, s.Kind, plan.Reads)
		},
		func(j int) *loop.Var { return e.stream(op.Offsets[j]) })
	for f, result := range op.Res {
		e.values[result] = carry[f]
	}
}

// end writes what comes after all rows: the rows of groups that are still open,
// then the operations of the epilogue. One work-item runs it.
func (e *emission) end() {
	e.endRows(0)
	for i := range e.Ops {
		op := &e.Ops[i]
		if !op.Epilogue {
			continue
		}
		switch op.Kind {
		case tile.ScanTotals:
		case tile.Total:
			e.values[op.Res[0]] = e.b.Let(e.name(op.Res[0]), e.expr(op.Args[0]))
		case tile.StoreScalar:
			kind := e.Values[op.Args[0]].Kind
			e.b.Store(e.arguments.buffer(e.cell(op.Ref, kind), kind, plan.Writes), loop.Int(0), e.expr(op.Args[0]))
		case tile.Store:
			e.store(op)
		case tile.Update:
			e.update(op)
		case tile.Check:
			e.check(op)
		default:
			e.values[op.Res[0]] = e.b.Let(e.name(op.Res[0]), e.pure(op))
		}
	}
}

// endRows writes the last rows of the domains derived from d.
func (e *emission) endRows(d int) {
	for child := d + 1; child < len(e.Domains); child++ {
		domain := &e.Domains[child]
		if domain.Parent != d {
			continue
		}
		if domain.Kind == tile.Close {
			e.nested(e.expr(domain.Open), func() { e.block(child) })
		}
		e.endRows(child)
	}
}
