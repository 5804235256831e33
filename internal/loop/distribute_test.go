package loop_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kgen-go/kgen/internal/device/exec"
	. "github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/simt/simttest"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

const distributedRows = 32

// rowLoop is a kernel with a loop over some rows.
type rowLoop struct {
	*Builder
	a, b              *Var // columns that are loaded
	y, z              *Var // that are stored
	shared, again     *Var // one memory by two names
	private           *Var
	sum, most, halves *Var // states
	item              *Var
}

// newRowLoop writes a kernel whose loop has a body, and which stores the states behind it.
func newRowLoop(body func(l *rowLoop)) *Func {
	l := &rowLoop{Builder: NewBuilder("rows")}
	i64 := ScalarOf(ir.I64)
	l.Param("row0", i64)
	l.Param("rows", i64)
	column := func(name string) *Var { return l.Param(name, SliceOf(i64).In(Global)) }
	l.a, l.b = l.Param("a", SliceOf(i64).In(Global).AsReadOnly()), l.Param("b", SliceOf(i64).In(Global).AsReadOnly())
	l.y, l.z, l.shared, l.again = column("y"), column("z"), column("shared"), column("again")
	l.y.Alone, l.z.Alone = true, true
	states := column("states")
	l.private = l.Storage("private", ArrayOf(distributedRows, i64))
	l.sum, l.most = l.Decl("sum", ConstOf(ir.Int(ir.I64, 0))), l.Decl("most", ConstOf(ir.Int(ir.I64, -1000)))
	l.halves = l.Decl("halves", ConstOf(ir.Float(ir.F64, 0)))
	l.For("item", Int(0), Int(distributedRows), func(item *Var) {
		l.item = item
		body(l)
	})
	l.Store(states, Int(0), l.sum)
	l.Store(states, Int(1), l.most)
	l.Store(states, Int(2), To(i64, l.halves))
	l.Kernel(1)
	return l.Func()
}

// fold adds x to the sum of the rows.
func (l *rowLoop) fold(x Expr) { l.Assign(l.sum, l.Let("added", Add(l.sum, x))) }

func constant(i int64) Expr { return ConstOf(ir.Int(ir.I64, i)) }

// times is x with a few operators, as what is worth a loop.
func times(x Expr, count int) Expr {
	for i := range count {
		x = Apply(ir.OpXor, Mul(x, constant(int64(3+i))), constant(int64(i)))
	}
	return x
}

func TestDistribute(t *testing.T) {
	for _, test := range []struct {
		name          string
		loops, arrays int
		body          func(l *rowLoop)
	}{
		{"operators behind a state", 2, 1, func(l *rowLoop) {
			l.fold(At(l.a, l.item))
			sum := l.Let("sum_here", Add(l.sum, constant(0))) // a copy, as the state goes on
			l.Store(l.y, l.item, times(sum, 4))
		}},
		{"operators before a state that goes on to places", 2, 1, func(l *rowLoop) {
			x := l.Let("x", times(At(l.a, l.item), 4))
			l.fold(x)
			l.Store(l.z, To(Counter, Apply(ir.OpAnd, l.sum, constant(distributedRows-1))), constant(7))
		}},
		{"operators before and behind", 3, 2, func(l *rowLoop) {
			x := l.Let("x", times(At(l.a, l.item), 4))
			l.fold(x)
			l.Store(l.y, l.item, times(l.Let("sum_here", Mul(l.sum, constant(2))), 4))
		}},
		{"operators that are named one by one", 2, 1, func(l *rowLoop) {
			x := At(l.a, l.item)
			for i := range 9 {
				x = l.Let("x", Mul(x, constant(int64(3+i))))
			}
			l.Store(l.z, To(Counter, Apply(ir.OpAnd, x, constant(distributedRows-1))), constant(7))
		}},
		{"integers that are folded in lanes", 1, 0, func(l *rowLoop) {
			l.fold(l.Let("x", times(At(l.a, l.item), 4)))
			l.Store(l.y, l.item, times(At(l.b, l.item), 4))
		}},
		{"floats are folded row by row", 2, 1, func(l *rowLoop) {
			x := l.Let("x", times(At(l.a, l.item), 4))
			l.Store(l.y, l.item, x)
			l.Assign(l.halves, l.Let("added", Add(l.halves, To(ScalarOf(ir.F64), x))))
		}},
		{"quotients of 64 bits", 3, 1, func(l *rowLoop) {
			l.Store(l.y, l.item, times(At(l.b, l.item), 4))
			quotient := l.Let("quotient", Apply(ir.OpDiv, At(l.a, l.item), constant(7)))
			l.Store(l.z, l.item, times(quotient, 4))
		}},
		{"a check that reports a row", 2, 0, func(l *rowLoop) {
			l.If(Lt(At(l.b, l.item), constant(0)), func() { l.Atomic(AtomicMin, l.shared, Int(0), To(ScalarOf(ir.I64), l.item)) }, nil)
			l.Store(l.y, l.item, times(At(l.a, l.item), 4))
		}},
		{"elements at places", 2, 1, func(l *rowLoop) {
			x := l.Let("x", At(l.b, To(Counter, Apply(ir.OpAnd, At(l.a, l.item), constant(distributedRows-1)))))
			l.Store(l.y, l.item, times(x, 4))
		}},
		{"memory of two names", 1, 0, func(l *rowLoop) {
			l.Store(l.shared, l.item, times(At(l.a, l.item), 4))
			l.fold(At(l.again, l.item))
			l.Store(l.again, l.item, times(l.sum, 4))
		}},
		{"hardly an operator", 1, 0, func(l *rowLoop) {
			l.fold(At(l.a, l.item))
			l.Store(l.y, l.item, l.Let("sum_here", Mul(l.sum, constant(2))))
		}},
		{"what else a loop may have", 1, 0, func(l *rowLoop) {
			l.Store(l.y, l.item, times(At(l.a, l.item), 4))
			l.fold(At(l.a, l.item))
			l.Store(l.z, l.item, times(l.sum, 4))
			l.If(Gt(l.sum, constant(1<<40)), l.Break, nil)
		}},
	} {
		f := newRowLoop(test.body)
		Distribute(f)
		p := &Program{Name: "rows", Funcs: []*Func{f}}
		if err := Verify(p, Simt); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		text := p.String()
		if loops, arrays := strings.Count(text, "for item"), strings.Count(text, "_row "); loops != test.loops || arrays != test.arrays {
			t.Errorf("%s: %d loops and %d arrays, want %d and %d in\n%s", test.name, loops, arrays, test.loops, test.arrays, text)
		}
	}
}

// Loops by chance leave the same memory when they are distributed.
func TestDistributeRandom(t *testing.T) {
	several := 0
	for seed := range uint64(2000) {
		whole, split := randomLoop(seed), randomLoop(seed)
		before := strings.Count((&Program{Funcs: []*Func{whole}}).String(), "for item")
		Distribute(split)
		text := (&Program{Name: "rows", Funcs: []*Func{split}}).String()
		if strings.Count(text, "for item") > before {
			several++
		}
		want, err := runLoop(whole)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got, err := runLoop(split)
		if err != nil {
			t.Fatalf("seed %d: %v in\n%s", seed, err, text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d: -whole +distributed\n%s in\n%s", seed, diff, text)
		}
	}
	if several < 200 {
		t.Errorf("%d loops were split: the rest says nothing", several)
	}
}

// randomLoop has statements by chance over few columns and states, so that most depend on others.
func randomLoop(seed uint64) *Func {
	r := rand.New(rand.NewPCG(seed, 1))
	return newRowLoop(func(l *rowLoop) {
		var values []Expr
		var operand func() Expr
		operand = func() Expr {
			switch n := r.IntN(8); {
			case n < 3 && len(values) > 0:
				return values[r.IntN(len(values))]
			case n == 3:
				return []Expr{l.sum, l.most}[r.IntN(2)]
			case n == 4:
				return constant(r.Int64N(9) - 4)
			case n == 5:
				return times(operand(), 1+r.IntN(3))
			}
			return At([]*Var{l.a, l.b, l.shared, l.again, l.private}[r.IntN(5)], l.item)
		}
		place := func() Expr {
			if r.IntN(4) == 0 {
				return To(Counter, Apply(ir.OpAnd, operand(), constant(distributedRows-1)))
			}
			return l.item
		}
		var statement func(depth int)
		statement = func(depth int) {
			switch r.IntN(10) {
			case 9:
				l.Atomic(AtomicMax, []*Var{l.shared, l.again}[r.IntN(2)], place(), operand())
			case 0:
				l.fold(operand())
			case 1:
				l.Assign(l.most, Greatest(l.most, operand()))
			case 2:
				l.Assign(l.halves, Add(l.halves, To(ScalarOf(ir.F64), operand())))
			case 3, 4:
				l.Store([]*Var{l.y, l.z, l.shared, l.again, l.private}[r.IntN(5)], place(), operand())
			case 5:
				if depth > 1 {
					return
				}
				outer := values
				l.If(Lt(operand(), operand()), func() { statement(depth + 1); statement(depth + 1) }, func() { values = outer; statement(depth + 1) })
				values = outer
			case 6:
				inner := l.Decl("inner", operand())
				l.If(Gt(operand(), constant(0)), func() { l.Assign(inner, constant(5)) }, nil)
				values = append(values, l.Let("chosen", Add(inner, constant(0))), inner)
			default:
				op := []ir.Op{ir.OpAdd, ir.OpMul, ir.OpXor, ir.OpDiv}[r.IntN(4)]
				x, y := operand(), operand()
				if op == ir.OpDiv {
					y = constant(7)
				}
				values = append(values, l.Let("x", Apply(op, x, y)))
			}
		}
		for range 4 + r.IntN(10) {
			statement(0)
		}
	})
}

// runLoop returns what a kernel leaves in memory.
func runLoop(f *Func) (columns [6][]byte, err error) {
	p := &Program{Name: "rows", Funcs: []*Func{f}}
	if err := Verify(p, Simt); err != nil {
		return columns, err
	}
	device := simttest.NewDevice([]*Program{p}, rand.New(rand.NewPCG(1, 2)))
	var list []exec.Arg
	for range columns {
		memory, err := device.Alloc(distributedRows * 8)
		if err != nil {
			return columns, err
		}
		list = append(list, exec.Arg{Memory: memory, Length: distributedRows})
	}
	a, b, y, z, shared, states := list[0], list[1], list[2], list[3], list[4], list[5]
	launch := &exec.Launch{Kernel: &plan.Kernel{Name: f.Name}, Variant: &plan.Variant{Entry: f.Name, Schedule: plan.Schedule{Workgroup: 1}}, Workgroups: 1, Rows: distributedRows,
		Args: []exec.Arg{a, b, y, z, shared, shared, states}}
	if err := device.Launch(context.Background(), launch); err != nil {
		return columns, err
	}
	for i, arg := range list {
		columns[i] = make([]byte, distributedRows*8)
		if err := device.Read(arg.Memory, 0, columns[i]); err != nil {
			return columns, err
		}
	}
	return columns, nil
}
