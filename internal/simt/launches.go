package simt

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/plan"
)

// launches lowers one kernel to its launches.
type launches struct {
	*lowering
	*kernel
	logical plan.Kernel
	scheme  scheme
	offsets chunkOffsets
	span    plan.Expr           // rows of the launch
	tiles   plan.Expr           // how many tiles they are
	folds   plan.Expr           // how many folds of tiles are stored: a work-group without rows stores one, too
	folded  plan.Expr           // how many of them are of rows
	states  map[stateKey]string // buffers of an element per tile
	totals  map[stateKey]string // buffers of one element
}

// lower writes the functions of the kernel and the steps that launch them.
func (s *launches) lower() {
	for _, err := range []error{refuseDemands(s.Name, s.family.Name, s.Asks(), s.scheme.meets()), s.scheme.refuse()} {
		if err != nil {
			s.faults = append(s.faults, err)
			return
		}
	}
	s.spreadSources()
	s.scheme.prepare()
	s.scheme.main()
	if s.hasEnd() && !s.lastTileEnds() {
		s.launchOnce(s.finish(), plan.Const(1))
	}
}

// addReductions adds the buffers of the tiles' folds for reductions.
func (s *launches) addReductions() {
	for _, i := range s.reductions() {
		s.states = s.buffers(s.states, s.stateOf([]int{i}), "tile", s.folds, plan.Temporary)
	}
}

// addTotals adds the buffers by which the last tile hands the folds of all rows to
// the launch that finishes, if there is one.
func (s *launches) addTotals() {
	if !s.hasEnd() || s.lastTileEnds() {
		return
	}
	for _, cut := range s.gridCuts() {
		s.totals = s.buffers(s.totals, s.stateOf(s.gridScans(cut)), "total", plan.Const(1), plan.Temporary)
	}
}

// grid returns the work-groups of the launch that does the work.
func (s *launches) grid() plan.Expr {
	if s.runsWithoutRows() {
		return plan.Max(plan.CeilDiv(plan.Rows(), plan.Const(s.kernel.rows()*int64(s.chunk()))), plan.Const(1))
	}
	return plan.Expr{}
}

// buffers adds a buffer for each slot of a state.
func (s *launches) buffers(to map[stateKey]string, st *state, suffix string, length plan.Expr, role plan.Role) map[stateKey]string {
	if to == nil {
		to = map[stateKey]string{}
	}
	for _, slot := range st.slots {
		name := s.fresh(fmt.Sprintf("%s_%s%d", s.Name, suffix, len(to)))
		to[slot.stateKey] = name
		s.addBuffer(plan.Buffer{Name: name, Kind: plan.Kind(slot.kind.String()), Length: length, Role: role})
	}
	return to
}

// function begins a function of the kernel.
func (s *launches) function(name string) *rowBody {
	e := newBody(s.kernel, s.lowering, s.fresh(name+s.suffix))
	s.rowSpan.begin(e.arguments)
	return e
}

// publish returns what a work-item does as soon as it knows the fold of the tile
// at a cut, or nil.
func (s *launches) publish(e *tileBody, cut int) func(total []loop.Expr) {
	if len(s.gridScans(cut)) == 0 {
		return nil
	}
	return s.scheme.publish(e, cut)
}

// prefix returns the fold of all earlier tiles, per field.
func (s *launches) prefix(e *tileBody, cut int, st *state, total []loop.Expr) (earlier []loop.Expr) {
	if len(st.slots) == 0 { // only chunks fold
		e.b.Barrier(loop.WorkgroupScope)
		return nil
	}
	return s.scheme.prefix(e, cut, st, total)
}

// tileRows names the rows of the tile.
func (e *tileBody) tileRows() {
	size := e.tileSize()
	offset := e.b.Let("offset", loop.Mul(e.tile, size))
	e.first = e.b.Let("first", loop.Add(e.arguments.row0, offset))
	rest := e.b.Let("rest", loop.Sub(e.arguments.rows, offset))
	e.count = e.b.Let("count", loop.Choose(loop.Lt(rest, size), rest, size))
}

// chunk returns how many tiles a work-group walks through.
func (s *launches) chunk() int { return max(s.schedule.Chunk, 1) }

// startTile names the tile's rows and loads its columns.
func (s *launches) startTile(e *rowBody) {
	e.tileRows()
	if !s.walks() {
		e.pollLimited()
	}
	e.findSources()
	e.stage()
	e.declareKept()
	if !s.keeps {
		e.declareReductions()
	}
}

// declareReductions declares the folds of a work-item's rows.
func (e *tileBody) declareReductions() {
	for _, i := range e.reductions() {
		e.declareFolds([]int{i})
	}
}

// runPhases runs the phases before e.until, each with the cut behind it.
func (s *launches) runPhases(e *rowBody) {
	for phase := range e.until {
		e.declareFolds(s.cuts[phase])
		e.loopRows(phase)
		s.cut(e.tileBody, phase)
	}
}

// mainFunction writes the launch that does the work of the rows.
func (s *launches) mainFunction(strategy strategy) *function {
	e := s.function(s.Name)
	e.until, e.effects, e.retention = s.lastPhase(), true, strategy
	e.begin()
	if s.localTables != nil {
		walking{flat{s}}.beginTables(e.function)
	}
	s.scheme.eachTile(e.tileBody, func() {
		s.startTile(e)
		strategy.run(s, e)
		s.storeBeside(e)
		e.publishReductions(s.states, e.reductions())
		s.scheme.endTile(e)
	})
	if s.localTables != nil {
		walking{flat{s}}.flushTables(e.function)
	}
	return e.function
}

// finish writes the launch of one work-group after all rows.
func (s *launches) finish() *function {
	e := s.function(s.Name + "_finish")
	e.until, e.effects, e.now = s.lastPhase(), true, atEnd
	e.localID = e.b.Let("local_id", &loop.ID{Kind: loop.LocalID})
	for _, cut := range s.gridCuts() {
		for _, slot := range s.stateOf(s.gridScans(cut)).slots {
			e.running[slot.stateKey] = e.b.Decl("total", loop.At(e.memory(s.totals[slot.stateKey], slot, plan.Reads), loop.Int(0)))
		}
	}
	for _, ops := range s.foldedTogether(s.reductions()) {
		st := s.stateOf(ops)
		fold := e.foldTiles
		if s.lone.moved && !slices.ContainsFunc(ops, func(i int) bool { return s.Ops[i].FoldsInOrder() }) { // a tile has a work-group of its own, so they are many
			fold = e.foldAllTiles
		}
		whole := fold(st, loop.ToCounter(e.arguments.value("tiles", s.folded)), func(j int) *loop.Var {
			return e.memory(s.states[st.slots[j].stateKey], st.slots[j], plan.Reads)
		})
		for j, slot := range st.slots {
			e.running[slot.stateKey] = whole[j]
		}
	}
	e.values = map[tile.ID]loop.Expr{}
	for i := range s.Ops {
		if makesOffsets(&s.Ops[i]) {
			tiles := loop.ToCounter(e.arguments.value("tiles", s.tiles))
			s.offsets.scan(e, i, tiles)
		}
	}
	e.b.If(loop.Eq(e.localID, loop.Int(0)), e.end, nil)
	return e.function
}

// memory returns a buffer of a slot's values.
func (e *function) memory(buffer string, s slot, access plan.Access) *loop.Var {
	return e.arguments.buffer(buffer, s.kind, access)
}

// declareFolds declares the states of a work-item's own rows.
func (e *tileBody) declareFolds(ops []int) {
	st := e.stateOf(ops)
	for j, v := range e.declare(st, st.identities()) {
		e.folds[st.slots[j].stateKey] = v
	}
}

// folded returns the states that declareFolds declared.
func (e *tileBody) folded(st *state) (list []loop.Expr) {
	for _, slot := range st.slots {
		list = append(list, e.folds[slot.stateKey])
	}
	return list
}

// cut makes the states that the rows of the next phase see: the fold of all
// earlier tiles, which the scheme gives, and of earlier work-items.
func (s *launches) cut(e *tileBody, phase int) {
	all := e.stateOf(e.cuts[phase])
	grid := e.stateOf(e.gridScans(phase))
	during := duringScan{}
	if publish := s.publish(e, phase); publish != nil {
		during.publish = func(total []loop.Expr) { publish(grid.part(all, total)) }
	}
	before, total := e.blockScan(all, e.folded(all), during)
	gridTotal := grid.part(all, total)
	earlier := s.prefix(e, phase, grid, gridTotal)
	if e.until == len(e.cuts) && len(grid.slots) > 0 {
		e.know(grid, earlier, gridTotal)
	}
	start := e.combine(grid, earlier, grid.part(all, before))
	for j, slot := range all.slots {
		name, x := e.Ops[slot.op].Monoid.Fields[slot.field].Name, before[j]
		if e.Ops[slot.op].Cuts() {
			x = start[grid.of[slot.stateKey].slot]
		}
		e.running[slot.stateKey] = e.b.Decl(name, x)
	}
	if !e.effects {
		return
	}
	for _, i := range e.cuts[phase] {
		if e.Ops[i].IsChunkwise() {
			e.b.If(loop.Eq(e.localID, loop.Int(0)), func() { e.storeChunk(i, all, total) }, nil)
			s.offsets.add(e, i, all, total)
		}
	}
}

// storeChunk stores the fold of a chunk, which is the tile.
func (e *tileBody) storeChunk(i int, st *state, total []loop.Expr) {
	chunk := loop.Add(loop.Div(e.arguments.row0, loop.Int(e.kernel.rows())), e.tile)
	for f, stream := range e.Ops[i].Totals {
		e.b.Store(e.stream(stream), chunk, st.result(total, stateKey{i, f}))
	}
}

// publishReductions stores the fold of the tile for each of some reductions.
func (e *tileBody) publishReductions(states map[stateKey]string, reductions []int) {
	for _, ops := range e.foldedTogether(reductions) {
		st := e.stateOf(ops)
		e.collective.fold(e.function, st, e.folded(st), func(total []loop.Expr) { e.storeFold(st, states, total) })
		e.barrier()
	}
}

// publishTile stores the fold of the tile.
func (e *tileBody) publishTile(st *state, states map[stateKey]string, total []loop.Expr) {
	e.b.If(loop.Eq(e.localID, loop.Int(0)), func() { e.storeFold(st, states, total) }, nil)
}

// storeFold is publishTile of the work-item that does it.
func (e *tileBody) storeFold(st *state, states map[stateKey]string, total []loop.Expr) {
	for j, slot := range st.slots {
		e.b.Store(e.memory(states[slot.stateKey], slot, plan.Writes), e.tile, total[j])
	}
}

// scanTotals turns the folds of chunks into the offsets of chunks.
func (e *rowBody) scanTotals(i int, chunks loop.Expr) {
	op := &e.Ops[i]
	st := e.stateOf([]int{i})
	whole := e.scanTiles(st, chunks,
		func(j int) *loop.Var {
			s := e.Streams[op.Totals[j]]
			return e.arguments.buffer(s.Buffer, s.Kind, plan.Reads)
		},
		func(j int) *loop.Var { return e.stream(op.Offsets[j]) })
	for f, result := range op.Res {
		e.values[result] = st.result(exprsOf(whole), stateKey{i, f})
	}
}

// end writes what comes after all rows: the rows of segments that are still open,
// then the operations of the epilogue. One work-item runs it.
func (e *rowBody) end() {
	e.nameClaimed()
	e.endRows(0)
	for i := range e.Ops {
		if op := &e.Ops[i]; op.Epilogue {
			operations[op.Kind].end(e, i)
		}
	}
}

// endRows writes the last rows of the domains derived from d.
func (e *rowBody) endRows(d int) {
	for child := d + 1; child < len(e.Domains); child++ {
		domain := &e.Domains[child]
		if domain.Parent != d {
			continue
		}
		if domain.Kind == tile.Close {
			e.closing = child
			e.nested(e.expr(domain.Open), func() { e.block(child) })
		}
		e.endRows(child)
	}
}
