package simttest

import (
	"math/bits"
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile/tiletest"
	"github.com/kgen-go/kgen/ir"
)

// expression and statement are compiled ones: tests run kernels for millions of
// statements, and to look at their trees each time takes several times as long.
type (
	expression func(*thread) ir.Scalar
	statement  func(*thread) flow
)

// kernel is a compiled one. Its scalars and its memory have places of their own in
// what a thread keeps.
type kernel struct {
	*loop.Func
	scalars map[*loop.Var]int
	memory  map[*loop.Var]int
	body    statement
}

// compile returns the kernel of a function.
func compile(f *loop.Func) *kernel {
	k := &kernel{Func: f, scalars: map[*loop.Var]int{}, memory: map[*loop.Var]int{}}
	for _, p := range f.Params {
		k.place(p)
	}
	k.body = k.block(f.Body)
	return k
}

// place returns where a variable lies among those of its kind.
func (k *kernel) place(v *loop.Var) int {
	places := k.scalars
	if v.T.IsMemory() {
		places = k.memory
	}
	at, ok := places[v]
	if !ok {
		at = len(places)
		places[v] = at
	}
	return at
}

func (k *kernel) block(list []loop.Stmt) statement {
	compiled := make([]statement, len(list))
	for i, s := range list {
		compiled[i] = k.statement(s)
	}
	return func(t *thread) flow {
		for _, s := range compiled {
			if t.steps--; t.steps < 0 {
				fail("the launch does not end")
			}
			if s(t) == broken {
				return broken
			}
		}
		return false
	}
}

// expressions compiles several.
func (k *kernel) expressions(list []loop.Expr) []expression {
	compiled := make([]expression, len(list))
	for i, x := range list {
		compiled[i] = k.expression(x)
	}
	return compiled
}

func (k *kernel) statement(s loop.Stmt) statement {
	switch s := s.(type) {
	case *loop.Decl:
		return k.declaration(s)
	case *loop.Let:
		return k.assignment(s.Var, s.X)
	case *loop.Assign:
		return k.assignment(s.Var, s.X)
	case *loop.Store:
		m, index, value := k.reference(s.Memory), k.expression(s.Index), k.expression(s.X)
		return func(t *thread) flow {
			at := index(t).Int64()
			t.store(m, at, value(t))
			return false
		}
	case *loop.LoadWide:
		m, index, places := k.reference(s.Memory), k.expression(s.Index), make([]int, len(s.Vars))
		for i, v := range s.Vars {
			places[i] = k.place(v)
		}
		return func(t *thread) flow {
			at := t.wide(m, index(t), len(places))
			for i, place := range places {
				t.scalars[place] = t.load(m, at+int64(i))
			}
			return false
		}
	case *loop.StoreWide:
		m, index, values := k.reference(s.Memory), k.expression(s.Index), k.expressions(s.X)
		return func(t *thread) flow {
			at := t.wide(m, index(t), len(values))
			for i, value := range values {
				t.store(m, at+int64(i), value(t))
			}
			return false
		}
	case *loop.Atomic:
		return k.atomic(s)
	case *loop.If:
		condition, then, otherwise := k.expression(s.Cond), k.block(s.Then), k.block(s.Else)
		return func(t *thread) flow {
			if condition(t).IsTrue() {
				return then(t)
			}
			return otherwise(t)
		}
	case *loop.For:
		low, high, body, place, step := k.expression(s.Lo), k.expression(s.Hi), k.block(s.Body), k.place(s.Var), s.Step
		return func(t *thread) flow {
			end := high(t).Int64()
			for i := low(t).Int64(); i < end; i += step {
				t.scalars[place] = ir.Int(ir.I64, i)
				if body(t) == broken {
					break
				}
			}
			return false
		}
	case *loop.While:
		condition, body := k.expression(s.Cond), k.block(s.Body)
		return func(t *thread) flow {
			for condition(t).IsTrue() {
				if body(t) == broken {
					break
				}
			}
			return false
		}
	case *loop.Break:
		return func(*thread) flow { return broken }
	case *loop.Barrier:
		return func(t *thread) flow { t.pause(barrier); return false }
	case *loop.Child:
		return k.child(s)
	case *loop.Note, *loop.Fence:
		return func(*thread) flow { return false }
	}
	return func(*thread) flow { fail("no statement %T here", s); return false }
}

func (k *kernel) assignment(v *loop.Var, x loop.Expr) statement {
	place, value := k.place(v), k.expression(x)
	return func(t *thread) flow {
		t.scalars[place] = value(t)
		return false
	}
}

func (k *kernel) declaration(s *loop.Decl) statement {
	place := k.place(s.Var)
	switch {
	case s.Var.T.Space == loop.Local:
		return func(t *thread) flow {
			local := t.item.workgroup.local
			if local[s.Var] == nil {
				local[s.Var] = &storage{length: int64(s.Var.T.Len)}
			}
			t.memory[place].storage = local[s.Var]
			return false
		}
	case s.Var.T.Form == loop.Array:
		return func(t *thread) flow {
			t.memory[place].storage = &storage{length: int64(s.Var.T.Len)}
			if !s.Kept {
				t.memory[place].storage.values = slices.Repeat([]ir.Scalar{{Kind: s.Var.T.Kind}}, s.Var.T.Len)
			}
			return false
		}
	case s.Init != nil:
		return k.assignment(s.Var, s.Init)
	}
	return func(t *thread) flow {
		t.scalars[place] = ir.Scalar{Kind: s.Var.T.Kind}
		return false
	}
}

// child has a kernel run once this launch has ended, unless there is no room for it, as happens by
// chance.
func (k *kernel) child(s *loop.Child) statement {
	count, otherwise := k.expression(s.Workgroups), k.block(s.Otherwise)
	arguments := make([]func(*thread) argument, len(s.Args))
	for i, x := range s.Args {
		if v, ok := x.(*loop.Var); ok && v.T.IsMemory() {
			place := k.place(v)
			arguments[i] = func(t *thread) argument { return argument{buffer: t.memory[place].buffer} }
			continue
		}
		value := k.expression(x)
		arguments[i] = func(t *thread) argument { return argument{scalar: value(t)} }
	}
	return func(t *thread) flow {
		l := &launch{device: t.device, kernel: t.device.kernel(s.Kernel), size: s.Kernel.WorkgroupSize, count: int(count(t).Int64())}
		for _, argument := range arguments {
			l.arguments = append(l.arguments, argument(t))
		}
		if l.count < 1 {
			fail("%s is launched for %d work-groups", s.Kernel.Name, l.count)
		}
		if t.device.Random.IntN(4) == 0 {
			return otherwise(t)
		}
		t.children = append(t.children, l)
		return false
	}
}

var atomicOperator = map[loop.AtomicOp]ir.Op{loop.AtomicAdd: ir.OpAdd, loop.AtomicMin: ir.OpLeast, loop.AtomicMax: ir.OpGreatest,
	loop.AtomicAnd: ir.OpAnd, loop.AtomicOr: ir.OpOr}

func (k *kernel) atomic(s *loop.Atomic) statement {
	m, index, value := k.reference(s.Memory), k.expression(s.Index), k.expression(s.X)
	apply, old := operator(atomicOperator[s.Op], s.Memory.T.Kind, s.Memory.T.Kind), -1
	if s.Old != nil {
		old = k.place(s.Old)
	}
	var expected expression
	if s.Op == loop.AtomicCompareExchange {
		expected = k.expression(s.Expected)
	}
	return func(t *thread) flow {
		t.pause(others)
		at, x := index(t).Int64(), value(t)
		t.mark(m, at, atomicAccess)
		before := t.get(m, at)
		switch s.Op {
		case loop.AtomicExchange:
		case loop.AtomicCompareExchange:
			if expected(t).Bits != before.Bits {
				x = before
			}
		default:
			x = apply(before, x)
		}
		t.set(m, at, x)
		t.begin(t.item.workgroup)
		if old >= 0 {
			t.scalars[old] = before
		}
		return false
	}
}

func (k *kernel) expression(x loop.Expr) expression {
	switch x := x.(type) {
	case *loop.Const:
		return func(*thread) ir.Scalar { return x.Value }
	case *loop.Var:
		place := k.place(x)
		return func(t *thread) ir.Scalar {
			value := t.scalars[place]
			if value.Kind == ir.Invalid {
				fail("%s has no value", x.Name)
			}
			return value
		}
	case *loop.Unary:
		operand, kind := k.expression(x.X), x.Type().Kind
		return func(t *thread) ir.Scalar { return tiletest.Apply(x.Op, kind, operand(t)) }
	case *loop.Binary:
		return k.binary(x)
	case *loop.Compare:
		return k.comparison(x)
	case *loop.Select:
		condition, then, otherwise := k.expression(x.Cond), k.expression(x.Then), k.expression(x.Else)
		return func(t *thread) ir.Scalar {
			a, b := then(t), otherwise(t)
			if condition(t).IsTrue() {
				return a
			}
			return b
		}
	case *loop.Cast:
		return k.cast(x)
	case *loop.Load:
		m, index := k.reference(x.Memory), k.expression(x.Index)
		if x.Volatile {
			return func(t *thread) ir.Scalar {
				at := index(t).Int64()
				t.pause(others)
				t.mark(m, at, atomicAccess)
				return t.get(m, at)
			}
		}
		return func(t *thread) ir.Scalar { return t.load(m, index(t).Int64()) }
	case *loop.Call:
		return k.call(x)
	case *loop.ID:
		switch x.Kind {
		case loop.LocalID:
			return func(t *thread) ir.Scalar { return ir.Int(ir.I64, int64(t.item.localID)) }
		case loop.LocalSize:
			return func(t *thread) ir.Scalar { return ir.Int(ir.I64, int64(t.size)) }
		case loop.WorkgroupID:
			return func(t *thread) ir.Scalar { return ir.Int(ir.I64, int64(t.item.workgroup.id)) }
		case loop.WorkgroupCount:
			return func(t *thread) ir.Scalar { return ir.Int(ir.I64, int64(t.count)) }
		}
	}
	return func(*thread) ir.Scalar { fail("no expression %T here", x); return ir.Scalar{} }
}

func (k *kernel) binary(x *loop.Binary) expression {
	left, right := k.expression(x.X), k.expression(x.Y)
	apply := operator(x.Op, x.Type().Kind, x.X.Type().Kind)
	if decides := x.Op == ir.OpLogicalOr; decides || x.Op == ir.OpLogicalAnd {
		return func(t *thread) ir.Scalar {
			a := left(t)
			if a.IsTrue() == decides {
				return a
			}
			return apply(a, right(t))
		}
	}
	return func(t *thread) ir.Scalar {
		a := left(t)
		return apply(a, right(t))
	}
}

func (k *kernel) comparison(x *loop.Compare) expression {
	left, right := k.expression(x.X), k.expression(x.Y)
	if x.Key && (x.Op == ir.OpEq || x.Op == ir.OpNe) {
		return func(t *thread) ir.Scalar {
			a := left(t)
			return ir.BoolScalar(tiletest.SameKey(a, right(t)) == (x.Op == ir.OpEq))
		}
	}
	compare := operator(x.Op, ir.Bool, x.X.Type().Kind)
	return func(t *thread) ir.Scalar {
		a := left(t)
		return compare(a, right(t))
	}
}

func (k *kernel) cast(x *loop.Cast) expression {
	operand, kind := k.expression(x.X), x.To.Kind
	if x.Bits {
		return func(t *thread) ir.Scalar { return ir.Scalar{Kind: kind, Bits: operand(t).Bits} }
	}
	return func(t *thread) ir.Scalar {
		value := operand(t)
		if value.Kind == kind {
			return value
		}
		return tiletest.Apply(ir.OpCast, kind, value)
	}
}

// call returns the result of a helper.
func (k *kernel) call(x *loop.Call) expression {
	arguments := k.expressions(x.Args)
	switch x.Callee.Name {
	case "count_ones_u32":
		return func(t *thread) ir.Scalar {
			return ir.Int(ir.U32, int64(bits.OnesCount32(uint32(arguments[0](t).Bits))))
		}
	case "leading_zeros_u32":
		return func(t *thread) ir.Scalar {
			return ir.Int(ir.U32, int64(bits.LeadingZeros32(uint32(arguments[0](t).Bits))))
		}
	}
	return func(*thread) ir.Scalar { fail("no helper %s here", x.Callee.Name); return ir.Scalar{} }
}
