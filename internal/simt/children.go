package simt

import (
	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// With dynamic parallelism a work-item takes a page of repeated rows, and launches a grid over
// the rows that repeat these. Each work-item of the grid finds its source by an upper bound on
// the ends of the page: J. Meinke, cited in spread.go, sections 4.3.2 and 4.3.3. The thesis waits
// for its children in between; here, as in CUDA since 12, nothing waits but the next launch of
// the host.

// Devices let some two thousand launches of kernels wait. A launch takes half a microsecond, so
// that pages have at least so many rows.
const (
	mostPages = 1 << 10
	leastPage = 1 << 14
)

// pageOf is how many of the repeated rows a page has.
func pageOf(repeated plan.Expr) plan.Expr {
	return plan.Max(plan.Const(leastPage), plan.CeilDiv(repeated, plan.Const(mostPages)))
}

// spreadByChildren writes the launch over pages, and the kernel that it launches.
func (s *launches) spreadByChildren(i int) (parent *function, l launch) {
	child := s.spreadPage(i)
	e := s.function(s.Name + "_spread").function
	repeated := plan.Len(s.Ops[i].Sources)
	pages := plan.Max(plan.CeilDiv(repeated, pageOf(repeated)), plan.Const(1))
	page := e.b.Let("page", loop.ToCounter(e.arguments.value("page_rows", pageOf(repeated))))
	ends := e.stream(s.Ops[i].Stream)
	sources := e.arguments.buffer(s.spread[i], ir.I32, plan.Writes)
	rows := e.arguments.value("repeated", s.span)
	endBefore := func(source loop.Expr) loop.Expr {
		return loop.Least(loop.ToKind(ir.I64, loop.At(ends, loop.Sub(source, loop.Int(1)))), rows)
	}
	at := e.b.Let("at", loop.Add(loop.Mul(&loop.ID{Kind: loop.WorkgroupID}, loop.Int(spreadSubgroup)), &loop.ID{Kind: loop.LocalID}))
	e.b.If(loop.Lt(at, loop.ToCounter(e.arguments.value("pages", pages))), func() {
		first := e.b.Let("first_source", loop.Mul(at, page))
		last := e.b.Let("end_of_page", loop.Add(first, loop.Least(page, loop.Sub(e.arguments.rows, first))))
		row, end := e.b.Decl("row", number(ir.I64, 0)), e.b.Decl("end", rows) // the last page tells the rows behind its last end, too
		e.b.If(loop.Gt(first, loop.Int(0)), func() { e.b.Assign(row, endBefore(first)) }, nil)
		e.b.If(loop.Lt(last, e.arguments.rows), func() { e.b.Assign(end, endBefore(last)) }, nil)
		e.b.If(loop.Lt(row, end), func() {
			count := loop.ToCounter(loop.Sub(end, row))
			groups := loop.Add(loop.Div(loop.Sub(count, loop.Int(1)), loop.Int(int64(s.workgroup))), loop.Int(1))
			e.b.Child(child, e.b.Let("workgroups", groups), []loop.Expr{ends, sources, first, last, row, end}, func() {
				e.b.While(loop.Lt(row, end), func() {
					tell(e.b, ends, sources, first, last, row)
					e.b.Assign(row, loop.Add(row, number(ir.I64, 1)))
				})
			})
		}, nil)
	}, nil)
	return e, launch{workgroup: spreadSubgroup, grid: plan.CeilDiv(pages, plan.Const(spreadSubgroup)), children: []*loop.Func{child}}
}

// spreadPage writes the kernel over the rows that repeat those of a page.
func (s *launches) spreadPage(i int) *loop.Func {
	b := loop.NewBuilder(s.fresh(s.Name + "_page" + s.suffix))
	b.Kernel(s.workgroup)
	b.Func().IsChild = true
	memory := func(k ir.Kind) loop.Type { return loop.SliceOf(loop.ScalarOf(k)).In(loop.Global) }
	ends := b.Param("ends", memory(s.Streams[s.Ops[i].Stream].Kind).AsReadOnly())
	sources := b.Param("sources", memory(ir.I32))
	first, last := b.Param("first_source", loop.Counter), b.Param("end_of_page", loop.Counter)
	begin, end := b.Param("begin", loop.ScalarOf(ir.I64)), b.Param("end", loop.ScalarOf(ir.I64))
	at := loop.Add(loop.Mul(&loop.ID{Kind: loop.WorkgroupID}, loop.Int(int64(s.workgroup))), &loop.ID{Kind: loop.LocalID})
	row := b.Let("row", loop.Add(begin, loop.ToKind(ir.I64, at)))
	b.If(loop.Lt(row, end), func() {
		tell(b, ends, sources, first, last, row)
	}, nil)
	return b.Func()
}

// tell stores the source of a row, which is one of a page or the first one behind.
func tell(b *loop.Builder, ends, sources *loop.Var, first, last, row loop.Expr) {
	b.Store(sources, loop.ToCounter(row), loop.ToKind(ir.I32, backends.Search(b, ends, first, last, row)))
}
