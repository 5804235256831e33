package gocpu

import (
	"testing"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Counters start as places only where nothing but the digit decides, and ranges of rows
// run at the same time unless a fold needs ranks.
func TestRanks(t *testing.T) {
	for name, c := range map[string]struct {
		write          func(b *tile.Builder, digit, rank tile.ID)
		places, splits bool
	}{
		"a place": {func(b *tile.Builder, digit, rank tile.ID) {
			before := b.LoadAt(0, b.Stream("before", ir.I64, "before", tile.Gather, false), digit, false)
			place := b.Map(0, ir.OpAdd, ir.I64, "", rank, b.Map(0, ir.OpSub, ir.I64, "", before, b.Scalar("right", ir.I64)))
			b.StoreAt(0, b.Stream("y", ir.I64, "y", tile.Permute, true), digit, place)
		}, true, true},
		"a place by another column": {func(b *tile.Builder, digit, rank tile.ID) {
			place := b.Map(0, ir.OpAdd, ir.I64, "", b.Load(b.Stream("x", ir.I64, "x", tile.Element, false)), rank)
			b.StoreAt(0, b.Stream("y", ir.I64, "y", tile.Permute, true), digit, place)
		}, false, true},
		"a place by the row's number": {func(b *tile.Builder, digit, rank tile.ID) {
			b.StoreAt(0, b.Stream("y", ir.I64, "y", tile.Permute, true), digit, b.Map(0, ir.OpAdd, ir.I64, "", b.Row(), rank))
		}, false, true},
		"the rank, too": {func(b *tile.Builder, digit, rank tile.ID) {
			b.StoreAt(0, b.Stream("y", ir.I64, "y", tile.Permute, true), rank, b.Map(0, ir.OpAdd, ir.I64, "", rank, digit))
		}, false, true},
		"the rank alone": {func(b *tile.Builder, digit, rank tile.ID) {
			b.Store(b.Stream("y", ir.I64, "y", tile.Element, true), rank)
		}, false, true},
		"beside a sum": {func(b *tile.Builder, digit, rank tile.ID) {
			b.Store(b.Stream("y", ir.I64, "y", tile.Element, true), rank)
			b.Store(b.Stream("z", ir.I64, "z", tile.Element, true), b.Scan(0, tile.NewFold(ir.ReduceAdd, ir.I64), false, "", digit)[0])
		}, false, true},
		"a sum of ranks": {func(b *tile.Builder, digit, rank tile.ID) {
			b.Store(b.Stream("y", ir.I64, "y", tile.Element, true), b.Scan(0, tile.NewFold(ir.ReduceAdd, ir.I64), false, "", rank)[0])
		}, false, false},
		"a sum of all ranks": {func(b *tile.Builder, digit, rank tile.ID) {
			b.StoreScalar("total", b.Reduce(0, tile.NewFold(ir.ReduceAdd, ir.I64), "", rank)[0])
		}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := tile.NewBuilder("k", "n", "n")
			digit := b.Load(b.Stream("digit", ir.I64, "digit", tile.Element, false))
			c.write(b, digit, b.Rank(0, digit, 1<<Radix))
			k := newKernel(b.Finish(), func(ir.Pos) string { return "" }, nil)
			for _, op := range k.With((*tile.Op).Counts) {
				if got := k.firstPlace(op) != 0; got != c.places {
					t.Errorf("counters start as places: %v", got)
				}
			}
			if got := k.splits(); got != c.splits {
				t.Errorf("ranges run at the same time: %v", got)
			}
			program := &loop.Program{Name: "k", Funcs: []*loop.Func{k.rangeFunction("rows", allRows).Func}}
			if c.splits {
				program.Funcs = append(program.Funcs, k.rangeFunction("rows_summary", summary).Func)
			}
			if err := loop.Verify(program, loop.Cores); err != nil {
				t.Error(err)
			}
		})
	}
}
