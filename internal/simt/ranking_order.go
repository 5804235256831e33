package simt

import (
	"strconv"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Few rows are sorted in one launch: each row counts the rows that come before it. That is more work than to sort them by
// digits, but all work-groups do it at the same time, and none waits for another. A work-group has few of the rows, and
// each of its parts compares them with a share of all rows.

// counting is the scheme of kernels that sort few rows.
type counting struct{ flat }

// countingWorkgroup is the size of work-groups, countedRows how many rows they have, a row for each work-item of a part, and
// chunksAtOnce how often each part compares rows that are in local memory: loads of so many wait together.
const countingWorkgroup, countedRows, chunksAtOnce = 256, 32, 4

// Up to how many rows are sorted so: comparisons grow by their square.
const (
	countedMost     = 3 << 12
	countedPortable = 1 << 11 // where a processor may do the work of a GPU
)

// sortsFew reports whether an operation sorts few rows at once.
func sortsFew(op *tile.Op) bool { return op.Kind == tile.Order }

func (s counting) meets() tile.Demands { return tile.Counters | tile.Neighbours }

// planCounting plans the tile of a kernel that sorts few rows.
func (k *kernel) planCounting() {
	if k.isOpen {
		k.workgroup = countingWorkgroup
	}
	k.ranks.room = countedPortable
	switch {
	case k.items > 0: // as the schedule says
		k.ranks.room = int64(k.workgroup * k.items)
	case k.ranks.launched > 0:
		k.ranks.room = countedMost
	}
	k.items, k.collective = 1, k.collectiveOf()
}

func (s counting) main() {
	s.haveRoom()
	e := s.function(s.Name)
	e.until, e.effects = 1, true
	e.begin()
	s.eachTile(e.tileBody, func() { s.tile(e) })
	grid := plan.CeilDiv(plan.Rows(), plan.Const(s.rows()))
	if s.runsWithoutRows() {
		grid = plan.Max(grid, plan.Const(1))
	}
	s.launchRows(e.function, grid, plan.ForwardNone)
}

// haveRoom tells the plan how many rows the kernel is for. The plan has one number for all of its kernels.
func (s counting) haveRoom() {
	for i := range s.out.Scalars {
		if scalar := &s.out.Scalars[i]; scalar.Name == s.Ops[s.ranks.op].Ref {
			scalar.Init = plan.Literal(strconv.FormatInt(s.ranks.room, 10))
		}
	}
}

// tile counts for each row of the tile how many of all rows come before it: those with a lesser word, and those in front of
// it with the same.
func (s counting) tile(e *rowBody) {
	e.tileRows()
	e.now = 0
	rows, word := e.arguments.rows, e.Ops[s.ranks.op].Args[0]
	kind := e.Values[word].Kind
	wordAt := func(row loop.Expr) loop.Expr {
		e.row, e.values = row, map[tile.ID]loop.Expr{}
		return e.expr(word)
	}
	lanes := e.rowItems()
	parts := e.workgroup / lanes
	part := e.b.Let("part", loop.Div(e.localID, loop.Int(int64(lanes))))
	lane := e.b.Let("lane", loop.Sub(e.localID, loop.Mul(part, loop.Int(int64(lanes)))))
	row := e.b.Let("row", loop.Add(e.first, lane))
	exists := e.b.Let("exists", loop.Lt(lane, e.count))
	own := e.b.Decl("own", number(kind, 0))
	e.b.If(exists, func() { e.b.Assign(own, wordAt(row)) }, nil)

	wide := loop.WideBytes / kind.Size()
	chunk := int64(lanes * wide) // which a part compares at a time
	block := int64(parts*chunksAtOnce) * chunk
	others := e.localArray("others", kind, int(block))
	found := e.b.Decl("found", number(ir.U32, 0))
	before := e.b.Decl("before", loop.Int(0)) // the first row of the block
	e.b.While(loop.Lt(before, rows), func() {
		e.barrier() // behind the block before
		e.b.For("item", loop.Int(0), loop.Int(int64(wide*chunksAtOnce)), func(item *loop.Var) {
			at := e.b.Let("at", loop.Add(loop.Mul(item, loop.Int(int64(e.workgroup))), e.localID))
			row, word := e.b.Let("row", loop.Add(before, at)), e.b.Decl("word", number(kind, -1)) // before no row
			e.b.If(loop.Lt(row, rows), func() { e.b.Assign(word, wordAt(row)) }, nil)
			e.b.Store(others, at, word)
		})
		e.barrier()
		start := e.b.Decl("start", loop.Mul(part, loop.Int(chunk)))
		end := e.b.Let("end", loop.Least(loop.Sub(rows, before), loop.Int(block)))
		e.b.While(loop.Lt(start, end), func() {
			first := e.b.Let("first_other", loop.Add(before, start))
			compare := func(isBefore func(other, at loop.Expr) loop.Expr) {
				e.b.For("step", loop.Int(0), loop.Int(int64(lanes)), func(step *loop.Var) {
					at := loop.Mul(step, loop.Int(int64(wide)))
					for i, other := range e.b.LoadWide("other", others, loop.Add(start, at)) {
						e.b.Assign(found, loop.Add(found, loop.ToKind(ir.U32, isBefore(other, loop.Add(loop.Add(first, at), loop.Int(int64(i)))))))
					}
				})
			}
			e.b.If(loop.Le(loop.Add(first, loop.Int(chunk)), e.first), func() {
				compare(func(other, _ loop.Expr) loop.Expr { return loop.Le(other, own) })
			}, func() {
				e.b.If(loop.Ge(first, loop.Add(e.first, e.count)), func() {
					compare(func(other, _ loop.Expr) loop.Expr { return loop.Lt(other, own) })
				}, func() {
					compare(func(other, at loop.Expr) loop.Expr {
						return loop.Or(loop.Lt(other, own), loop.And(loop.Eq(other, own), loop.Lt(at, row)))
					})
				})
			})
			e.b.Assign(start, loop.Add(start, loop.Int(int64(parts)*chunk)))
		})
		e.b.Assign(before, loop.Add(before, loop.Int(block)))
	})

	all := e.localArray("found_by_parts", ir.U32, e.workgroup)
	e.b.Store(all, e.localID, found)
	e.barrier()
	e.b.If(loop.And(loop.Eq(part, loop.Int(0)), exists), func() {
		place := e.b.Decl("place", number(ir.U32, 0))
		e.b.For("of", loop.Int(0), loop.Int(int64(parts)), func(of *loop.Var) {
			e.b.Assign(place, loop.Add(place, loop.At(all, loop.Add(loop.Mul(of, loop.Int(int64(lanes))), lane))))
		})
		e.row, e.values = row, map[tile.ID]loop.Expr{}
		e.block(0)
		e.now, e.values[e.Ops[s.ranks.op].Res[0]] = 1, loop.ToKind(ir.I64, place)
		e.block(0)
	}, nil)
}
