package tile_test

import (
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// What is stored of each row beside a cut, and follows from elements of the row alone, is a kernel of its own, unless both would
// compute something dear or look the same element up.
func TestApart(t *testing.T) {
	add := tile.NewFold(ir.ReduceAdd, ir.I64)
	for _, c := range []struct {
		name  string
		build func(b *tile.Builder, x tile.ID) (results []tile.ID)
		apart []string // the results that are stored apart, as r0 is the first
	}{
		{"no cut", func(b *tile.Builder, x tile.ID) []tile.ID { return []tile.ID{b.Map(0, ir.OpNeg, ir.I64, "", x)} }, nil},
		{"a scan alone", func(b *tile.Builder, x tile.ID) []tile.ID { return []tile.ID{b.Scan(0, add, false, "", x)[0]} }, nil},
		{"a map beside a scan", func(b *tile.Builder, x tile.ID) []tile.ID {
			return []tile.ID{b.Scan(0, add, false, "", x)[0], b.Map(0, ir.OpNeg, ir.I64, "", x), b.Row()}
		}, []string{"r1", "r2"}},
		{"a map of the scan", func(b *tile.Builder, x tile.ID) []tile.ID {
			return []tile.ID{b.Map(0, ir.OpNeg, ir.I64, "", b.Scan(0, add, false, "", x)[0]), b.Map(0, ir.OpNeg, ir.I64, "", x)}
		}, []string{"r1"}},
		{"what the scan folds", func(b *tile.Builder, x tile.ID) []tile.ID {
			y := b.Map(0, ir.OpNeg, ir.I64, "", x)
			return []tile.ID{b.Scan(0, add, false, "", y)[0], y}
		}, []string{"r1"}},
		{"dear, and the scan folds it", func(b *tile.Builder, x tile.ID) []tile.ID {
			y := b.Map(0, ir.OpDiv, ir.I64, "", x, b.Int(7))
			return []tile.ID{b.Scan(0, add, false, "", y)[0], b.Map(0, ir.OpNeg, ir.I64, "", y), b.Map(0, ir.OpNeg, ir.I64, "", x)}
		}, []string{"r2"}},
		{"dear, shared by what is apart", func(b *tile.Builder, x tile.ID) []tile.ID {
			y := b.Map(0, ir.OpDiv, ir.I64, "", x, b.Int(7))
			return []tile.ID{b.Scan(0, add, false, "", x)[0], b.Map(0, ir.OpNeg, ir.I64, "", y), y}
		}, []string{"r1", "r2"}},
		{"looked up by both", func(b *tile.Builder, x tile.ID) []tile.ID {
			y := b.LoadAt(0, b.Stream("table", ir.I64, "table", tile.Gather, false), x, false)
			return []tile.ID{b.Scan(0, add, false, "", y)[0], y}
		}, nil},
		{"a neighbour", func(b *tile.Builder, x tile.ID) []tile.ID {
			return []tile.ID{b.Scan(0, add, false, "", x)[0], b.Shift(x, b.Int(0), 1)}
		}, []string{"r1"}},
		{"a neighbour of the scan", func(b *tile.Builder, x tile.ID) []tile.ID {
			y := b.Scan(0, add, false, "", x)[0]
			return []tile.ID{y, b.Map(0, ir.OpAdd, ir.I64, "", y, b.Shift(x, b.Int(0), -1))}
		}, nil},
	} {
		b := tile.NewBuilder("k", "n", "n")
		x := b.Load(b.Stream("x", ir.I64, "x", tile.Element, false))
		for i, r := range c.build(b, x) {
			b.Store(b.Stream(result(i), ir.I64, result(i), tile.Element, true), r)
		}
		k := b.Finish()
		rest, apart := k.Apart()
		var got []string
		if apart != nil {
			got = storedTo(apart)
			if err := tile.Verify(apart); err != nil {
				t.Errorf("%s: what is apart: %v", c.name, err)
			}
			if apart.CountCuts() > 0 {
				t.Errorf("%s: what is apart has a cut", c.name)
			}
		}
		if !slices.Equal(got, c.apart) {
			t.Errorf("%s: %v is apart, not %v", c.name, got, c.apart)
		}
		if err := tile.Verify(rest); err != nil {
			t.Errorf("%s: the rest: %v", c.name, err)
		}
		if all := slices.Sorted(slices.Values(append(got, storedTo(rest)...))); !slices.Equal(all, storedTo(k)) {
			t.Errorf("%s: both store %v, not %v", c.name, all, storedTo(k))
		}
	}
}

func result(i int) string { return "r" + string(rune('0'+i)) }

// storedTo lists the buffers that a kernel stores to.
func storedTo(k *tile.Kernel) (list []string) {
	for _, op := range k.Ops {
		if op.Does(tile.Writes) {
			list = append(list, k.Streams[op.Stream].Buffer)
		}
	}
	return list
}
