package tile_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/internal/tile/tiletest"
	"github.com/kgen-go/kgen/ir"
)

// law is a monoid with what the tests need to know of it.
type law struct {
	name    string
	monoid  *tile.Monoid
	element func(*rand.Rand) []ir.Scalar         // what a row may contribute
	direct  func(rows [][]ir.Scalar) []ir.Scalar // the fold by its definition, row by row
	same    func(a, b []ir.Scalar) bool          // states that no later fold tells apart
}

var kinds = []ir.Kind{ir.Bool, ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64, ir.F32, ir.F64, ir.Date, ir.Char8}

// folds lists the reductions of each kind: those of the language, and the
// extremes of every kind.
func folds() []law {
	var list []law
	for _, k := range kinds {
		operations := []ir.ReduceOp{ir.ReduceMin, ir.ReduceMax}
		switch {
		case k.IsInteger():
			operations = append(operations, ir.ReduceAdd, ir.ReduceMul, ir.ReduceAnd, ir.ReduceOr, ir.ReduceXor)
		case k.IsFloat():
			operations = append(operations, ir.ReduceAdd, ir.ReduceMul)
		case k == ir.Bool:
			operations = append(operations, ir.ReduceAnd, ir.ReduceOr, ir.ReduceXor)
		}
		for _, op := range operations {
			list = append(list, foldLaw(op, k))
		}
	}
	return list
}

// foldLaw: sums and products of floats are associative where they are exact,
// so their elements are few small whole numbers or powers of two. An element of a
// float sum is not -0.0, which 0.0 + x turns into 0.0 (fuse adds 0.0 to elements
// that may restart a sum). All else holds for any values.
func foldLaw(op ir.ReduceOp, k ir.Kind) law {
	value := func(r *rand.Rand) ir.Scalar { return element(k, r) }
	switch {
	case k.IsFloat() && op == ir.ReduceAdd:
		value = func(r *rand.Rand) ir.Scalar { return ir.Float(k, float64(r.IntN(2001)-1000)) }
	case k.IsFloat() && op == ir.ReduceMul:
		value = func(r *rand.Rand) ir.Scalar { return ir.Float(k, math.Ldexp(float64(1-2*r.IntN(2)), r.IntN(5)-2)) }
	}
	return law{
		name:    fmt.Sprintf("%v %v", op, k),
		monoid:  tile.NewFold(op, k),
		element: func(r *rand.Rand) []ir.Scalar { return []ir.Scalar{value(r)} },
		direct: func(rows [][]ir.Scalar) []ir.Scalar {
			state := neutral(op, k)
			for _, row := range rows {
				state = reduce(op, state, row[0])
			}
			return []ir.Scalar{state}
		},
		same: equal,
	}
}

// element returns any value of k, extremes among them.
func element(k ir.Kind, r *rand.Rand) ir.Scalar {
	switch {
	case k.IsFloat() && r.IntN(2) == 0:
		special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0, 1, -1}
		return ir.Float(k, special[r.IntN(len(special))])
	case k.IsFloat():
		return ir.Float(k, r.NormFloat64())
	case k == ir.Bool:
		return ir.BoolScalar(r.IntN(2) == 0)
	}
	bits := []uint64{r.Uint64(), 0, 1, math.MaxUint64, 1 << (8*k.Size() - 1), r.Uint64N(5)}[r.IntN(6)]
	return ir.Int(k, int64(bits))
}

// neutral and reduce define the reductions, without a monoid.
func neutral(op ir.ReduceOp, k ir.Kind) ir.Scalar {
	one, bits := ir.Int(k, 1), 8*k.Size()
	low, high := ir.Int(k, 0), ir.Int(k, -1)
	switch {
	case k.IsFloat():
		one, low, high = ir.Float(k, 1), ir.Float(k, math.Inf(-1)), ir.Float(k, math.Inf(1))
	case k == ir.Bool:
		high = ir.BoolScalar(true)
	case k.IsSigned() || k == ir.Date:
		low, high = ir.Int(k, -1<<(bits-1)), ir.Int(k, 1<<(bits-1)-1)
	}
	switch op {
	case ir.ReduceMul:
		return one
	case ir.ReduceMin:
		return high
	case ir.ReduceMax:
		return low
	case ir.ReduceAnd:
		if k == ir.Bool {
			return high
		}
		return ir.Int(k, -1)
	}
	return ir.Scalar{Kind: k}
}

func reduce(op ir.ReduceOp, x, y ir.Scalar) ir.Scalar {
	k := x.Kind
	if k.IsFloat() {
		a, b := x.Float64(), y.Float64()
		return ir.Float(k, map[ir.ReduceOp]float64{ir.ReduceAdd: a + b, ir.ReduceMul: a * b, ir.ReduceMin: min(a, b), ir.ReduceMax: max(a, b)}[op])
	}
	low, high := x, y
	if k.IsSigned() || k == ir.Date {
		if high.Int64() < low.Int64() {
			low, high = high, low
		}
	} else if high.Bits < low.Bits {
		low, high = high, low
	}
	bits := map[ir.ReduceOp]uint64{ir.ReduceAdd: x.Bits + y.Bits, ir.ReduceMul: x.Bits * y.Bits, ir.ReduceMin: low.Bits, ir.ReduceMax: high.Bits,
		ir.ReduceAnd: x.Bits & y.Bits, ir.ReduceOr: x.Bits | y.Bits, ir.ReduceXor: x.Bits ^ y.Bits}[op]
	return ir.Int(k, int64(bits))
}

// equal compares bit by bit, all NaNs being one.
func equal(a, b []ir.Scalar) bool {
	return slices.EqualFunc(a, b, func(x, y ir.Scalar) bool {
		return x == y || x.Kind.IsFloat() && math.IsNaN(x.Float64()) && math.IsNaN(y.Float64()) && x.Kind == y.Kind
	})
}

// pickLaw: absent rows contribute any value, which nothing shows: states are
// the same if both are absent, or if both are present and of one value.
func pickLaw(k ir.Kind, last bool) law {
	l := law{name: "first " + k.String(), monoid: tile.NewFirst(k)}
	if last {
		l.name, l.monoid = "last "+k.String(), tile.NewLast(k)
	}
	l.element = func(r *rand.Rand) []ir.Scalar { return []ir.Scalar{ir.BoolScalar(r.IntN(3) == 0), element(k, r)} }
	l.direct = func(rows [][]ir.Scalar) []ir.Scalar {
		state := []ir.Scalar{ir.BoolScalar(false), {Kind: k}}
		for _, row := range rows {
			if row[0].IsTrue() && (last || !state[0].IsTrue()) {
				state = row
			}
		}
		return state
	}
	l.same = func(a, b []ir.Scalar) bool { return a[0] == b[0] && (!a[0].IsTrue() || equal(a[1:], b[1:])) }
	return l
}

// extremeLaw: no two rows are one, and a row that is absent contributes the identity.
func extremeLaw(op ir.ReduceOp, k ir.Kind) law {
	m := tile.NewRowOfExtreme(op, k)
	row := int64(0)
	return law{
		name:   fmt.Sprintf("row of %v %v", op, k),
		monoid: m,
		element: func(r *rand.Rand) []ir.Scalar {
			if r.IntN(4) == 0 {
				return m.Identity
			}
			row++
			return []ir.Scalar{element(k, r), ir.Int(ir.I64, row)}
		},
		direct: func(rows [][]ir.Scalar) []ir.Scalar {
			state := []ir.Scalar{neutral(op, k), ir.Int(ir.I64, -1)}
			for _, row := range rows {
				present := row[1].Int64() >= 0
				if best := reduce(op, state[0], row[0]); present && (state[1].Int64() < 0 || !equal([]ir.Scalar{best}, state[:1])) {
					state = row
				}
			}
			return state
		},
		same: equal,
	}
}

// segmented is the law of l restarted at heads.
func segmented(l law) law {
	return law{
		name:   "segmented " + l.name,
		monoid: tile.NewSegmented(l.monoid),
		element: func(r *rand.Rand) []ir.Scalar {
			return append([]ir.Scalar{ir.BoolScalar(r.IntN(4) == 0)}, l.element(r)...)
		},
		direct: func(rows [][]ir.Scalar) []ir.Scalar {
			var open [][]ir.Scalar
			any := false
			for _, row := range rows {
				if row[0].IsTrue() {
					open, any = nil, true
				}
				open = append(open, row[1:])
			}
			return append([]ir.Scalar{ir.BoolScalar(any)}, l.direct(open)...)
		},
		same: func(a, b []ir.Scalar) bool { return a[0] == b[0] && l.same(a[1:], b[1:]) },
	}
}

// product is the law of several side by side.
func product(parts ...law) law {
	p := law{name: "product"}
	var monoids []*tile.Monoid
	for _, part := range parts {
		p.name += " {" + part.name + "}"
		monoids = append(monoids, part.monoid)
	}
	each := func(visit func(part law, from, to int)) {
		from := 0
		for _, part := range parts {
			to := from + len(part.monoid.Fields)
			visit(part, from, to)
			from = to
		}
	}
	p.monoid = tile.NewProduct(monoids...)
	p.element = func(r *rand.Rand) (element []ir.Scalar) {
		for _, part := range parts {
			element = append(element, part.element(r)...)
		}
		return element
	}
	p.direct = func(rows [][]ir.Scalar) (state []ir.Scalar) {
		each(func(part law, from, to int) {
			own := make([][]ir.Scalar, len(rows))
			for i, row := range rows {
				own[i] = row[from:to]
			}
			state = append(state, part.direct(own)...)
		})
		return state
	}
	p.same = func(a, b []ir.Scalar) bool {
		same := true
		each(func(part law, from, to int) { same = same && part.same(a[from:to], b[from:to]) })
		return same
	}
	return p
}

func laws() []law {
	list := folds()
	for _, k := range kinds {
		list = append(list, pickLaw(k, false), pickLaw(k, true))
		if k != ir.Bool {
			list = append(list, extremeLaw(ir.ReduceMin, k), extremeLaw(ir.ReduceMax, k))
		}
	}
	for _, l := range slices.Clone(list) {
		list = append(list, segmented(l))
	}
	sum32, sum64 := foldLaw(ir.ReduceAdd, ir.I32), foldLaw(ir.ReduceAdd, ir.I64)
	count, last := segmented(sum64), pickLaw(ir.I32, true)
	return append(list,
		product(sum32), product(sum32, sum32), product(sum64, last), product(sum64, count), product(count, segmented(last)),
		product(sum64, last, count), product(count, last, sum64, foldLaw(ir.ReduceXor, ir.U8)), product(sum64, count, last, segmented(sum64)),
		product(product(sum64, last), segmented(product(last, foldLaw(ir.ReduceMin, ir.F64)))))
}

// state folds some rows, none among them, in random brackets.
func (l law) state(r *rand.Rand) []ir.Scalar {
	state := l.monoid.Identity
	for range r.IntN(4) {
		if element := l.element(r); r.IntN(2) == 0 {
			state = tiletest.Combine(l.monoid, state, element)
		} else {
			state = tiletest.Combine(l.monoid, state, tiletest.Combine(l.monoid, element, l.monoid.Identity))
		}
	}
	return state
}

// Every monoid is one, on all states that folds of rows reach.
func TestMonoidLaws(t *testing.T) {
	for _, l := range laws() {
		r := rand.New(rand.NewPCG(1, 2))
		m := l.monoid
		if len(m.Identity) != len(m.Fields) || len(m.Combine) != len(m.Fields) {
			t.Fatalf("%s: %d fields, %d identities, %d combinations", l.name, len(m.Fields), len(m.Identity), len(m.Combine))
		}
		combine := func(a, b []ir.Scalar) []ir.Scalar { return tiletest.Combine(m, a, b) }
		for range 400 {
			a, b, c := l.state(r), l.state(r), l.state(r)
			for i, f := range m.Fields {
				if a[i].Kind != f.Kind {
					t.Fatalf("%s: field %s is %v, not %v", l.name, f.Name, a[i].Kind, f.Kind)
				}
			}
			if left := combine(m.Identity, a); !l.same(left, a) {
				t.Fatalf("%s: identity and %v is %v", l.name, a, left)
			}
			if right := combine(a, m.Identity); !l.same(right, a) {
				t.Fatalf("%s: %v and identity is %v", l.name, a, right)
			}
			if x, y := combine(combine(a, b), c), combine(a, combine(b, c)); !l.same(x, y) {
				t.Fatalf("%s: %v, %v, %v: (ab)c = %v, a(bc) = %v", l.name, a, b, c, x, y)
			}
			if x, y := combine(a, b), combine(b, a); m.Kind == tile.Fold && !l.same(x, y) {
				t.Fatalf("%s, a fold: ab = %v, ba = %v", l.name, x, y)
			}
		}
	}
}

// A fold of elements, in any brackets, is what the definition gives row by row:
// a scan, a scan restarted at heads, the first or last present row.
func TestMonoidFolds(t *testing.T) {
	for _, l := range laws() {
		r := rand.New(rand.NewPCG(3, 4))
		for n := range 60 {
			rows := make([][]ir.Scalar, n%20)
			for i := range rows {
				rows[i] = l.element(r)
			}
			if got, want := bracketed(l.monoid, rows, r), l.direct(rows); !l.same(got, want) {
				t.Fatalf("%s of %v is %v, not %v", l.name, rows, got, want)
			}
		}
	}
}

func bracketed(m *tile.Monoid, rows [][]ir.Scalar, r *rand.Rand) []ir.Scalar {
	switch len(rows) {
	case 0:
		return m.Identity
	case 1:
		return rows[0]
	}
	at := r.IntN(len(rows))
	return tiletest.Combine(m, bracketed(m, rows[:at], r), bracketed(m, rows[at:], r))
}
