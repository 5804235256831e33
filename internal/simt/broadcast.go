package simt

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Offsets as published (Saxena et al., "Code fusion of prefix sum with ordered
// aggregation", algorithm 1): each tile adds its fold to the offsets of all
// later tiles, by atomic operations. That needs no extra launch, but work that
// grows with the square of the number of tiles.

// maxBroadcast is how many tiles a launch may have that broadcasts.
const maxBroadcast = 1 << 15

// broadcasting is published with such offsets.
type broadcasting struct{ published }

func (b broadcasting) refuse() error {
	if err := b.adds(); err != nil {
		return err
	}
	if b.schedule.Part > 0 {
		return fmt.Errorf("part=%d: offsets=%s is for %d tiles at most, and inputs in parts have more; choose offsets=%s",
			b.schedule.Part, plan.Broadcast, maxBroadcast, plan.Scan)
	}
	return nil
}

func (b broadcasting) describe(v *plan.Variant) {
	b.flat.describe(v)
	if len(b.gridCuts()) > 0 {
		b.published.describe(v)
	}
	v.Schedule.Offsets, v.GridLimit = plan.Broadcast, int64(max(maxBroadcast/b.chunk(), 1))
}

func (b broadcasting) prepare() {
	for _, cut := range b.gridCuts() {
		b.addFolds(cut, plan.Status)
		b.launchRows(b.sum(cut, b.broadcast), b.grid(), plan.ForwardNone)
	}
	b.addReductions()
	b.clearOffsets()
}

// chunkOffsets makes the offsets of chunks from their folds.
type chunkOffsets interface {
	// add passes the fold of a chunk, which is the tile, to later chunks.
	add(e *tileBody, i int, st *state, total []loop.Expr)
	// scan defines the fold of all chunks.
	scan(e *rowBody, i int, chunks loop.Expr)
}

// scannedOffsets come from a scan of all folds when the rows are done.
type scannedOffsets struct{}

func (scannedOffsets) add(*tileBody, int, *state, []loop.Expr) {}

func (scannedOffsets) scan(e *rowBody, i int, chunks loop.Expr) { e.scanTotals(i, chunks) }

// broadcastOffsets are complete when the rows are done.
type broadcastOffsets struct{ launches *launches }

// broadcastOps lists the operations whose folds go from tile to tile.
func (s *launches) broadcastOps() (list []int) {
	for _, cut := range s.gridCuts() {
		list = append(list, s.gridScans(cut)...)
	}
	for i := range s.Ops {
		if makesOffsets(&s.Ops[i]) {
			list = append(list, i)
		}
	}
	return list
}

// makesOffsets reports whether an operation makes the offsets of chunks.
func makesOffsets(op *tile.Op) bool { return op.Epilogue && op.Does(tile.Totals) }

// adds returns an error if a fold to broadcast is not a sum.
func (s *launches) adds() error {
	for _, i := range s.broadcastOps() {
		op := &s.Ops[i]
		if m := op.Monoid; m.Kind == tile.Fold && m.Combine[0].Operator == ir.OpAdd {
			continue
		}
		stage := op.Stage
		if line := s.lines(op.Pos); line != "" {
			stage += ", " + line
		}
		return fmt.Errorf("offsets=%s can only add, and kernel %s has another fold (%s): choose offsets=%s, or for aggregation a variant other than %s",
			plan.Broadcast, s.Name, stage, plan.Scan, plan.Segmented)
	}
	return nil
}

// laterTiles runs body for the tiles after tile, dealt out to the work-items.
func (s *launches) laterTiles(e *function, tile loop.Expr, body func(later loop.Expr)) {
	tiles := loop.ToCounter(e.arguments.value("tiles", s.tiles))
	later := e.b.Decl("later", loop.Add(loop.Add(tile, loop.Int(1)), e.localID))
	e.b.While(loop.Lt(later, tiles), func() {
		body(later)
		e.b.Assign(later, loop.Add(later, loop.Int(int64(e.workgroup))))
	})
}

// broadcast adds the fold of the tile to the offsets of later tiles, and to the
// total.
func (s broadcasting) broadcast(e *tileBody, st *state, total []loop.Expr) {
	add := func(to map[stateKey]string, at loop.Expr) {
		for j, slot := range st.slots {
			e.combineAt(to[slot.stateKey], slot.kind, s.Ops[slot.op].Monoid.Combine[slot.field], at, total[j])
		}
	}
	s.laterTiles(e.function, e.tile, func(later loop.Expr) { add(s.states, later) })
	e.b.If(loop.Eq(e.localID, loop.Int(0)), func() { add(s.totals, loop.Int(0)) }, nil)
}

// add adds the fold of a chunk, which is the tile, to the offsets of
// later chunks.
func (s broadcastOffsets) add(e *tileBody, i int, st *state, total []loop.Expr) {
	totals := s.launches.totalsOf(i)
	if totals == nil {
		return
	}
	s.launches.laterTiles(e.function, e.tile, func(later loop.Expr) {
		for f, stream := range totals.Offsets {
			to := s.launches.Streams[stream]
			e.combineAt(to.Buffer, to.Kind, totals.Monoid.Combine[f], later, st.result(total, stateKey{i, f}))
		}
	})
}

// totalsOf returns the operation that makes offsets of the totals of a
// ChunkScan, or nil.
func (k *kernel) totalsOf(i int) *tile.Op {
	at := slices.IndexFunc(k.Ops, func(op tile.Op) bool {
		return makesOffsets(&op) && slices.Equal(op.Totals, k.Ops[i].Totals)
	})
	if at < 0 {
		return nil
	}
	return &k.Ops[at]
}

// clearOffsets appends the steps after which all offsets of chunks are zero.
func (s *launches) clearOffsets() {
	for i := range s.Ops {
		if op := &s.Ops[i]; makesOffsets(op) {
			for _, stream := range op.Offsets {
				s.out.Steps = append(s.out.Steps, plan.Step{Init: &plan.Init{Buffer: s.Streams[stream].Buffer}})
			}
		}
	}
}

// scan defines the fold of all chunks: the offset of the last chunk plus its fold.
func (s broadcastOffsets) scan(e *rowBody, i int, chunks loop.Expr) {
	op := &e.Ops[i]
	st := e.stateOf([]int{i})
	whole := e.declare(st, st.identities())
	e.b.If(loop.Gt(chunks, loop.Int(0)), func() {
		last := e.b.Let("last", loop.Sub(chunks, loop.Int(1)))
		of := func(streams []int) (list []loop.Expr) {
			for _, stream := range streams {
				from := s.launches.Streams[stream]
				list = append(list, e.b.Let("chunk", loop.At(e.arguments.buffer(from.Buffer, from.Kind, plan.Reads), last)))
			}
			return list
		}
		e.assignAll(whole, e.combine(st, of(op.Offsets), of(op.Totals)))
	}, nil)
	for f, result := range op.Res {
		e.values[result] = st.result(exprsOf(whole), stateKey{i, f})
	}
}
