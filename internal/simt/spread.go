package simt

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Rows that are repeated may tell their rows who they are: a launch over the repeated rows
// stores the number of each in all rows that repeat it, and the rows read it there. A
// work-item, as many as a CUDA warp has, or a work-group takes a repeated row, and stores
// its number in a loop: J. Meinke, "In-memory OLAP aggregation on GPUs using CUDA Dynamic
// Parallelism", section 4.2, has the first. The time follows the longest of the rows that
// neighbours take, where counted ends and searches do not care. Rows behind the last end, which a
// table has where its last slots are free, are told how many repeated rows there are, as by one more.

// spreadLanes is how many work-items take a repeated row together, by the way.
func (k *kernel) spreadLanes() int {
	switch k.sources {
	case plan.PerItem:
		return 1
	case plan.PerSubgroup:
		if k.workgroup%spreadSubgroup == 0 {
			return spreadSubgroup
		}
		return k.workgroup
	case plan.PerWorkgroup:
		return k.workgroup
	}
	return 0
}

// spreadSubgroup is the work-items of a CUDA warp. They exchange nothing, so that devices
// without subgroups have them, too.
const spreadSubgroup = 32

// spreads reports whether the rows of an operation are told their sources. Rows that are
// launched in parts have numbers that no 32 bits hold, and search.
func (k *kernel) spreads(op *tile.Op) bool {
	return op.Kind == tile.Source && (k.spreadLanes() > 0 || k.sources == plan.PerChild) && !k.long
}

// spreadSources appends the launches that tell rows their sources.
func (s *launches) spreadSources() {
	for i := range s.Ops {
		op := &s.Ops[i]
		if !s.spreads(op) {
			continue
		}
		if s.spread == nil {
			s.spread = map[int]string{}
		}
		s.spread[i] = s.fresh(s.Name + "_sources")
		s.addBuffer(plan.Buffer{Name: s.spread[i], Kind: plan.I32, Length: s.span, Role: plan.Temporary})
		spread := s.spreadSource
		if s.sources == plan.PerChild {
			spread = s.spreadByChildren
		}
		e, l := spread(i)
		l.describe, l.step = s.scheme.describe, func(kernel string, _ plan.Schedule) plan.Step {
			return plan.Step{Launch: &plan.Launch{Kernel: kernel, Rows: plan.Len(op.Sources)}}
		}
		s.addLaunch(e, l)
	}
}

// spreadSource writes the launch over the rows that are repeated, and one more.
func (s *launches) spreadSource(i int) (*function, launch) {
	e := s.function(s.Name + "_spread").function
	lanes := int64(s.spreadLanes())
	local := e.b.Let("local_id", &loop.ID{Kind: loop.LocalID})
	firstOfGroup := e.b.Let("first_source", loop.Mul(&loop.ID{Kind: loop.WorkgroupID}, loop.Int(int64(s.workgroup)/lanes)))
	inGroup := e.b.Let("in_group", loop.Div(local, loop.Int(lanes)))
	lane := e.b.Let("lane", loop.Sub(local, loop.Mul(inGroup, loop.Int(lanes))))
	ends := e.stream(s.Ops[i].Stream)
	sources := e.arguments.buffer(s.spread[i], ir.I32, plan.Writes)
	rows := e.arguments.value("repeated", s.span)
	endOf := func(source loop.Expr) loop.Expr { return loop.ToKind(ir.I64, loop.At(ends, source)) }
	e.b.If(loop.Le(inGroup, loop.Sub(e.arguments.rows, firstOfGroup)), func() {
		source := e.b.Let("source", loop.Add(firstOfGroup, inGroup))
		row := e.b.Decl("row", loop.ToKind(ir.I64, lane)) // of 64 bits: it goes past the last one, of up to 2^31
		e.b.If(loop.Gt(source, loop.Int(0)), func() {
			e.b.Assign(row, loop.Add(row, endOf(loop.Sub(source, loop.Int(1)))))
		}, nil)
		end := e.b.Decl("end", rows)
		e.b.If(loop.Lt(source, e.arguments.rows), func() { e.b.Assign(end, loop.Least(endOf(source), rows)) }, nil)
		e.b.While(loop.Lt(row, end), func() {
			e.b.Store(sources, loop.ToCounter(row), loop.ToKind(ir.I32, source))
			e.b.Assign(row, loop.Add(row, number(ir.I64, lanes)))
		})
	}, nil)
	return e, launch{workgroup: s.workgroup, grid: plan.CeilDiv(plan.Add(plan.Rows(), plan.Const(1)), plan.Const(int64(s.workgroup)/lanes))}
}
