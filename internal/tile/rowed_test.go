package tile_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/internal/tile/tiletest"
	"github.com/kgen-go/kgen/ir"
)

// States of rows of which each says its own combine in any order, if that of the lesser row comes first.
func TestRowed(t *testing.T) {
	b := tile.NewBuilder("k", "n", "n")
	x := b.Load(b.Stream("x", ir.I64, "x", tile.Element, false))
	present := b.Const(ir.BoolScalar(true))
	for _, m := range []*tile.Monoid{tile.NewFirst(ir.I64), tile.NewLast(ir.I64)} {
		b.Reduce(0, m, "", present, x)
	}
	b.Reduce(0, tile.NewRowOfExtreme(ir.ReduceMin, ir.I64), "", x, b.Row())
	k := b.Finish().Rowed()
	if err := tile.Verify(k); err != nil {
		t.Fatal(err)
	}
	reductions := 0
	for _, op := range k.With((*tile.Op).IsReduction) {
		reductions++
		m := op.Monoid
		if op.FoldsInOrder() {
			t.Errorf("%v folds in order", m)
			continue
		}
		row := m.RowField()
		combine := func(a, b []ir.Scalar) []ir.Scalar {
			if b[row].Bits < a[row].Bits { // no row is the last
				a, b = b, a
			}
			return tiletest.Combine(m, a, b)
		}
		r := rand.New(rand.NewPCG(5, 6))
		for range 100 {
			states := [][]ir.Scalar{m.Identity}
			want := m.Identity
			for i := range r.IntN(9) {
				element := []ir.Scalar{ir.BoolScalar(r.IntN(2) == 0), ir.Int(ir.I64, r.Int64N(4)), ir.Int(ir.I64, int64(i))}
				if row == 1 {
					element = element[1:]
				} else if element[0].Bits == 0 {
					element = m.Identity
				}
				states, want = append(states, element), tiletest.Combine(m, want, element)
			}
			r.Shuffle(len(states), func(i, j int) { states[i], states[j] = states[j], states[i] })
			got := m.Identity
			for _, state := range states {
				got = combine(got, state)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%v of %v is %v, not %v", m, states, got, want)
			}
		}
	}
	if reductions != 3 {
		t.Errorf("%d reductions", reductions)
	}
}

// What is folded beside a cut keeps the order of the rows anyway.
func TestRowedBesideCut(t *testing.T) {
	b := tile.NewBuilder("k", "n", "n")
	x := b.Load(b.Stream("x", ir.I64, "x", tile.Element, false))
	b.Reduce(0, tile.NewFirst(ir.I64), "", b.Const(ir.BoolScalar(true)), x)
	b.Store(b.Stream("y", ir.I64, "y", tile.Element, true), b.Scan(0, tile.NewFold(ir.ReduceAdd, ir.I64), false, "", x)[0])
	if k := b.Finish(); k.Rowed() != k {
		t.Error("it is another kernel")
	}
}
