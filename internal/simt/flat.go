package simt

import (
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/plan"
)

// flat is the scheme of kernels without a cut: no tile needs earlier ones.
type flat struct{ *launches }

// flatWorkgroup is the size of work-groups if the schedule leaves it open.
const flatWorkgroup = 256

// metByTiles are the demands that any scheme meets whose tiles work by themselves.
const metByTiles = tile.WholeChunks | tile.Neighbours | tile.Tables | tile.AnEnd | tile.Expansion

func (f flat) meets() tile.Demands { return metByTiles }

func (f flat) refuse() error { return nil }

func (f flat) prepare() {
	f.addReductions()
	f.addClaims()
}

// main leaves out a launch that would do nothing: of a kernel that computes scalars alone.
func (f flat) main() {
	if !slices.ContainsFunc(f.Ops, func(op tile.Op) bool { return !op.Epilogue && (op.Domain != tile.Uniform || op.HasEffect()) }) {
		return
	}
	grid := f.grid()
	if !f.share.IsZero() {
		grid = f.folds // a work-group without rows stores a fold, too
	}
	f.launchRows(f.mainFunction(f.strategy), grid, plan.ForwardNone)
}

func (f flat) describe(v *plan.Variant) { v.Schedule.Scheme = SchemeFlat }

func (f flat) publish(*tileBody, int) func([]loop.Expr) { return nil }

func (f flat) prefix(*tileBody, int, *state, []loop.Expr) []loop.Expr {
	panic("simt: a flat kernel has no prefix")
}

func (f flat) knowsTotal() bool { return false }

func (f flat) endTile(*rowBody) {}

// eachTile walks through the schedule's chunk of tiles.
func (f flat) eachTile(e *tileBody, body func()) {
	workgroup := &loop.ID{Kind: loop.WorkgroupID}
	if f.chunk() == 1 {
		e.tile = e.b.Let("tile", loop.Add(f.rowSpan.firstTile(e.function), workgroup))
		body()
		return
	}
	e.chunk = f.chunk()
	start := e.b.Let("start", loop.Add(f.rowSpan.firstTile(e.function), loop.Mul(workgroup, loop.Int(int64(e.chunk)))))
	tiles := loop.ToCounter(e.arguments.value("tiles", f.tiles))
	e.b.For("step", loop.Int(0), loop.Int(int64(e.chunk)), func(step *loop.Var) {
		e.tile = e.b.Let("tile", loop.Add(start, step))
		e.b.If(loop.Lt(e.tile, tiles), func() {
			body()
			e.b.Barrier(loop.WorkgroupScope) // the next tile reuses local memory
		}, nil)
	})
}
