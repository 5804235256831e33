package simttest

import (
	"math/bits"
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile/tiletest"
	"github.com/kgen-go/kgen/ir"
)

// storage is an array in local or private memory.
type storage struct {
	kind   ir.Kind
	values []ir.Scalar // of kind Invalid if never written
}

func newStorage(t loop.Type) *storage {
	return &storage{t.Kind, make([]ir.Scalar, t.Len)}
}

// thread runs the statements of a work-item.
type thread struct {
	*launch
	item  *workItem
	yield func(pause) bool
	vars  map[*loop.Var]any // ir.Scalar, *storage or *buffer
}

// abandoned ends a thread whose launch has failed.
type abandoned struct{}

// flow says whether a Break ended the statement.
type flow bool

const broken flow = true

func (t *thread) pause(why pause) {
	if !t.yield(why) {
		panic(abandoned{})
	}
}

// body runs statements; it stops at a Break.
func (t *thread) body(list []loop.Stmt) flow {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(abandoned); !ok {
				panic(r)
			}
		}
	}()
	return t.run(list)
}

func (t *thread) run(list []loop.Stmt) flow {
	for _, s := range list {
		if t.steps--; t.steps < 0 {
			fail("the launch does not end")
		}
		if t.stmt(s) == broken {
			return broken
		}
	}
	return false
}

func (t *thread) stmt(s loop.Stmt) flow {
	switch s := s.(type) {
	case *loop.Decl:
		t.declare(s)
	case *loop.Let:
		t.vars[s.Var] = t.eval(s.X)
	case *loop.Assign:
		t.vars[s.Var] = t.eval(s.X)
	case *loop.Store:
		t.store(s.Memory, t.eval(s.Index).Int64(), t.eval(s.X))
	case *loop.LoadWide:
		at := t.wide(s.Memory, s.Index, len(s.Vars))
		for i, v := range s.Vars {
			t.vars[v] = t.load(s.Memory, at+int64(i))
		}
	case *loop.StoreWide:
		at := t.wide(s.Memory, s.Index, len(s.X))
		for i, x := range s.X {
			t.store(s.Memory, at+int64(i), t.eval(x))
		}
	case *loop.Atomic:
		t.pause(others)
		t.atomic(s)
	case *loop.If:
		if t.eval(s.Cond).IsTrue() {
			return t.run(s.Then)
		}
		return t.run(s.Else)
	case *loop.For:
		hi := t.eval(s.Hi).Int64()
		for i := t.eval(s.Lo).Int64(); i < hi; i += s.Step {
			t.vars[s.Var] = ir.Int(ir.I64, i)
			if t.run(s.Body) == broken {
				break
			}
		}
	case *loop.While:
		for t.eval(s.Cond).IsTrue() {
			if t.run(s.Body) == broken {
				break
			}
		}
	case *loop.Break:
		return broken
	case *loop.Barrier:
		t.pause(barrier)
	case *loop.Child:
		return t.child(s)
	case *loop.Note, *loop.Fence:
	default:
		fail("no statement %T here", s)
	}
	return false
}

// child has a kernel run once this launch has ended, unless there is no room for it, as happens by
// chance.
func (t *thread) child(s *loop.Child) flow {
	l := &launch{device: t.device, f: s.Kernel, size: s.Kernel.WorkgroupSize, count: int(t.eval(s.Workgroups).Int64()), arguments: map[*loop.Var]any{}}
	for i, x := range s.Args {
		if v, ok := x.(*loop.Var); ok && v.T.IsMemory() {
			l.arguments[s.Kernel.Params[i]] = t.memory(v)
			continue
		}
		l.arguments[s.Kernel.Params[i]] = t.eval(x)
	}
	if l.count < 1 {
		fail("%s is launched for %d work-groups", s.Kernel.Name, l.count)
	}
	if t.device.Random.IntN(4) == 0 {
		return t.run(s.Otherwise)
	}
	t.children = append(t.children, l)
	return false
}

// wide returns where an access of several elements begins.
func (t *thread) wide(m *loop.Var, index loop.Expr, count int) int64 {
	at := t.eval(index).Int64()
	if at%int64(count) != 0 {
		fail("work-item %d of work-group %d: an access of %d elements at %s[%d]", t.item.localID, t.item.workgroup.id, count, m.Name, at)
	}
	return at
}

func (t *thread) declare(s *loop.Decl) {
	switch {
	case s.Var.T.Space == loop.Local:
		if t.item.workgroup.local[s.Var] == nil {
			t.item.workgroup.local[s.Var] = newStorage(s.Var.T)
		}
		t.vars[s.Var] = t.item.workgroup.local[s.Var]
	case s.Var.T.Form == loop.Array:
		zeroed := newStorage(s.Var.T)
		for i := range zeroed.values {
			zeroed.values[i] = ir.Scalar{Kind: s.Var.T.Kind}
		}
		t.vars[s.Var] = zeroed
	case s.Init != nil:
		t.vars[s.Var] = t.eval(s.Init)
	default:
		t.vars[s.Var] = ir.Scalar{Kind: s.Var.T.Kind}
	}
}

// memory returns what a variable stands for.
func (t *thread) memory(v *loop.Var) any {
	if m, ok := t.arguments[v]; ok {
		return m
	}
	return t.vars[v]
}

func (t *thread) load(v *loop.Var, at int64) ir.Scalar {
	t.mark(v, at, plainLoad)
	return t.get(v, at)
}

func (t *thread) store(v *loop.Var, at int64, x ir.Scalar) {
	t.mark(v, at, plainStore)
	t.set(v, at, x)
}

// get and set access memory without the test for races.
func (t *thread) get(v *loop.Var, at int64) ir.Scalar {
	switch m := t.memory(v).(type) {
	case *storage:
		if at < 0 || at >= int64(len(m.values)) {
			fail("work-item %d of work-group %d loads %s[%d] of %d", t.item.localID, t.item.workgroup.id, v.Name, at, len(m.values))
		}
		if m.values[at].Kind == ir.Invalid {
			if t.device.BoundsOnly {
				return ir.Scalar{Kind: v.T.Kind}
			}
			fail("work-item %d of work-group %d loads %s[%d], which no work-item has stored", t.item.localID, t.item.workgroup.id, v.Name, at)
		}
		return m.values[at]
	case *buffer:
		size := int64(v.T.Kind.Size())
		if at < 0 || at >= int64(len(m.data))/size {
			fail("work-item %d of work-group %d loads %s[%d] of %d", t.item.localID, t.item.workgroup.id, v.Name, at, int64(len(m.data))/size)
		}
		return decode(v.T.Kind, m.data[at*size:])
	}
	fail("%s is no memory", v.Name)
	return ir.Scalar{}
}

func (t *thread) set(v *loop.Var, at int64, x ir.Scalar) {
	switch m := t.memory(v).(type) {
	case *storage:
		if at < 0 || at >= int64(len(m.values)) {
			fail("work-item %d of work-group %d stores %s[%d] of %d", t.item.localID, t.item.workgroup.id, v.Name, at, len(m.values))
		}
		m.values[at] = x
	case *buffer:
		size := int64(v.T.Kind.Size())
		if at < 0 || at >= int64(len(m.data))/size {
			fail("work-item %d of work-group %d stores %s[%d] of %d", t.item.localID, t.item.workgroup.id, v.Name, at, int64(len(m.data))/size)
		}
		copy(m.data[at*size:], encode(x))
	default:
		fail("%s is no memory", v.Name)
	}
}

var atomicOperator = map[loop.AtomicOp]ir.Op{loop.AtomicAdd: ir.OpAdd, loop.AtomicMin: ir.OpLeast, loop.AtomicMax: ir.OpGreatest,
	loop.AtomicAnd: ir.OpAnd, loop.AtomicOr: ir.OpOr}

func (t *thread) atomic(s *loop.Atomic) {
	at, x := t.eval(s.Index).Int64(), t.eval(s.X)
	t.mark(s.Memory, at, atomicAccess)
	old := t.get(s.Memory, at)
	switch s.Op {
	case loop.AtomicExchange:
	case loop.AtomicCompareExchange:
		if expected := t.eval(s.Expected); expected.Bits != old.Bits {
			x = old
		}
	default:
		x = tiletest.Apply(atomicOperator[s.Op], old.Kind, old, x)
	}
	t.set(s.Memory, at, x)
	if len(t.begun) < t.device.Starved && !slices.Contains(t.begun, t.item.workgroup) {
		t.begun = append(t.begun, t.item.workgroup)
	}
	if s.Old != nil {
		t.vars[s.Old] = old
	}
}

// eval returns the value of an expression.
func (t *thread) eval(x loop.Expr) ir.Scalar {
	switch x := x.(type) {
	case *loop.Const:
		return x.Value
	case *loop.Var:
		value, ok := t.memory(x).(ir.Scalar)
		if !ok {
			fail("%s has no value", x.Name)
		}
		return value
	case *loop.Unary:
		return tiletest.Apply(x.Op, x.Type().Kind, t.eval(x.X))
	case *loop.Binary:
		left := t.eval(x.X)
		if x.Op == ir.OpLogicalAnd && !left.IsTrue() || x.Op == ir.OpLogicalOr && left.IsTrue() {
			return left
		}
		return tiletest.Apply(x.Op, x.Type().Kind, left, t.eval(x.Y))
	case *loop.Compare:
		return t.compare(x)
	case *loop.Select:
		then, otherwise := t.eval(x.Then), t.eval(x.Else)
		if t.eval(x.Cond).IsTrue() {
			return then
		}
		return otherwise
	case *loop.Cast:
		value := t.eval(x.X)
		if x.Bits {
			return ir.Scalar{Kind: x.To.Kind, Bits: value.Bits}
		}
		if value.Kind == x.To.Kind {
			return value
		}
		return tiletest.Apply(ir.OpCast, x.To.Kind, value)
	case *loop.Load:
		at := t.eval(x.Index).Int64()
		if x.Volatile {
			t.pause(others)
			t.mark(x.Memory, at, atomicAccess)
			return t.get(x.Memory, at)
		}
		return t.load(x.Memory, at)
	case *loop.Call:
		return t.call(x)
	case *loop.ID:
		return ir.Int(ir.I64, int64(map[loop.IDKind]int{loop.LocalID: t.item.localID, loop.LocalSize: t.size,
			loop.WorkgroupID: t.item.workgroup.id, loop.WorkgroupCount: t.count}[x.Kind]))
	}
	fail("no expression %T here", x)
	return ir.Scalar{}
}

// call returns the result of a helper.
func (t *thread) call(x *loop.Call) ir.Scalar {
	args := make([]ir.Scalar, len(x.Args))
	for i, arg := range x.Args {
		args[i] = t.eval(arg)
	}
	switch x.Callee.Name {
	case "count_ones_u32":
		return ir.Int(ir.U32, int64(bits.OnesCount32(uint32(args[0].Bits))))
	case "leading_zeros_u32":
		return ir.Int(ir.U32, int64(bits.LeadingZeros32(uint32(args[0].Bits))))
	}
	fail("no helper %s here", x.Callee.Name)
	return ir.Scalar{}
}

func (t *thread) compare(x *loop.Compare) ir.Scalar {
	a, b := t.eval(x.X), t.eval(x.Y)
	if x.Key {
		switch same := tiletest.SameKey(a, b); x.Op {
		case ir.OpEq:
			return ir.BoolScalar(same)
		case ir.OpNe:
			return ir.BoolScalar(!same)
		}
	}
	return tiletest.Apply(x.Op, ir.Bool, a, b)
}
