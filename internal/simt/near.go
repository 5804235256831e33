package simt

import (
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Local memory gives rows of any place their elements about twice as fast as the first-level cache does. So where rows
// of a kernel that walks gather from tables that the plan has made, and that turn out to fit, a kernel of one
// work-group for each compute unit runs in its place, which copies them first.

// A table lies in local memory if it has so many elements: fewer are near in any case. There are as many rows for each
// work-group as elements that it may copy, at least.
const leastNear, mostNear = 1 << 13, 1 << 15

// nearItems is how many rows a work-item has then: 2^28 rows that look 2^15 codes up take 0.258 ms, with 8 0.294 and with 32 0.418, on an H200.
const nearItems = 16

// nearTables lists the streams of tables that rows gather from, and that a kernel in place of this one may have in local memory.
func (w walking) nearTables() (streams []int) {
	if w.suffix != "" || !w.isOpen || w.schedule.Items > 0 || !w.keeps || w.localTables != nil || w.remembered > 0 || w.chunk() > 1 {
		return nil
	}
	for i := range w.Ops {
		op := &w.Ops[i]
		if op.LoadsElement() && w.isTemporary(w.Streams[op.Stream].Buffer) { // rows that have moved, say, because tables are large
			return nil
		}
		if !op.LoadsAt() || op.Domain != 0 || w.phase[i] != 0 || slices.Contains(streams, op.Stream) {
			continue
		}
		if s := w.Streams[op.Stream]; !s.Long && s.Kind.Size() == ir.U32.Size() && w.isTemporary(s.Buffer) {
			streams = append(streams, op.Stream)
		}
	}
	if w.nearBytes(streams)+besideTables(w.Kernel, w.shape, w.foldingWorkgroup()) > w.target.LaunchedLocal {
		return nil
	}
	return streams
}

// isTemporary reports whether the plan makes a buffer.
func (l *lowering) isTemporary(buffer string) bool {
	return slices.ContainsFunc(l.out.Buffers, func(b plan.Buffer) bool { return b.Name == buffer && b.Role == plan.Temporary })
}

// nearBytes returns the local memory that tables take.
func (k *kernel) nearBytes(streams []int) (bytes int64) {
	for _, i := range streams {
		bytes += mostNear * int64(k.Streams[i].Kind.Size())
	}
	return bytes
}

// areFar returns 0 if tables lie in local memory, and else 1.
func (w walking) areFar(streams []int) (far plan.Expr) {
	over := func(x plan.Expr) plan.Expr { return plan.Max(x, plan.Const(0)) }
	far = over(plan.Sub(plan.Mul(plan.Property("units"), plan.Const(mostNear)), w.span))
	for _, i := range streams {
		length := w.bufferLength(w.Streams[i].Buffer)
		far = plan.Add(far, plan.Add(over(plan.Sub(plan.Const(leastNear), length)), over(plan.Sub(length, plan.Const(mostNear)))))
	}
	return plan.Min(far, plan.Const(1))
}

// withNear returns the scheme of a kernel that has tables in local memory.
func (w walking) withNear(streams []int) walking {
	made := w.kernel.shape
	made.near, made.workgroup, made.items, made.lone = streams, w.foldingWorkgroup(), nearItems, loneSearch{}
	s := *w.launches
	s.kernel = newKernel(w.Kernel, made, w.lines, w.aligned(w.Kernel))
	near := walking{flat{&s}}
	s.scheme = near
	return near
}

// launchNear launches the kernel that has tables in local memory, in place of the last step, if these fit.
func (w walking) launchNear(streams []int) {
	w.asksMuch = true
	steps := w.out.Steps
	last := len(steps) - 1
	w.out.Steps = nil
	w.withNear(streams).walk(w.Name + "_near")
	choice := &plan.If{Cond: plan.Lt(w.areFar(streams), plan.Const(1)), Then: w.out.Steps, Else: slices.Clone(steps[last:])}
	w.out.Steps = append(steps[:last:last], plan.Step{If: choice})
}

// nearTable is where a table lies in local memory.
type nearTable struct {
	memory *loop.Var
	begin  int64
}

func (t nearTable) place(at loop.Expr) loop.Expr { return loop.Add(at, loop.Int(t.begin)) }

// copyNear copies tables to local memory.
func (e *function) copyNear() {
	e.near = map[int]nearTable{}
	words := e.localArray(arenaName, ir.U32, int(e.nearBytes(e.kernel.near))/ir.U32.Size())
	at := int64(0)
	for _, i := range e.kernel.near {
		kind := e.Streams[i].Kind
		to := nearTable{words, at / int64(kind.Size())}
		if kind != ir.U32 {
			to.memory = e.arenaView(words, kind)
		}
		e.near[i] = to
		e.copyTable(e.stream(i), to, loop.ToCounter(e.elementsOf(i)))
		at += mostNear * int64(kind.Size())
	}
	e.barrier()
}

// copyTable copies the elements of a table, by wide accesses as far as these go.
func (e *function) copyTable(from *loop.Var, to nearTable, elements loop.Expr) {
	wide := loop.Wide(from.T)
	each := func(begin, end loop.Expr, body func(at loop.Expr)) {
		at := e.b.Decl("at", loop.Add(begin, e.localID))
		e.b.While(loop.Lt(at, end), func() {
			body(at)
			e.b.Assign(at, loop.Add(at, loop.Int(int64(e.workgroup))))
		})
	}
	whole := e.b.Let("whole", loop.Div(elements, loop.Int(int64(wide))))
	each(loop.Int(0), whole, func(at loop.Expr) {
		begin := e.b.Let("begin", loop.Mul(at, loop.Int(int64(wide))))
		e.b.StoreWide(to.memory, to.place(begin), e.b.LoadWide("copied", from, begin))
	})
	each(loop.Mul(whole, loop.Int(int64(wide))), elements, func(at loop.Expr) {
		e.b.Store(to.memory, to.place(at), loop.At(from, at))
	})
}
