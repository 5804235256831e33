package gocpu

import (
	"testing"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Ranges of rows run at the same time unless a fold needs ranks.
func TestRanks(t *testing.T) {
	for name, c := range map[string]struct {
		write  func(b *tile.Builder, digit, place tile.ID)
		splits bool
	}{
		"a place": {func(b *tile.Builder, digit, place tile.ID) {
			b.StoreAt(0, b.Stream("y", ir.I64, "y", tile.Permute, true), digit, place)
		}, true},
		"a place and more": {func(b *tile.Builder, digit, place tile.ID) {
			b.StoreAt(0, b.Stream("y", ir.I64, "y", tile.Permute, true), place, b.Map(0, ir.OpAdd, ir.I64, "", place, digit))
		}, true},
		"the place alone": {func(b *tile.Builder, digit, place tile.ID) {
			b.Store(b.Stream("y", ir.I64, "y", tile.Element, true), place)
		}, true},
		"beside a sum": {func(b *tile.Builder, digit, place tile.ID) {
			b.Store(b.Stream("y", ir.I64, "y", tile.Element, true), place)
			b.Store(b.Stream("z", ir.I64, "z", tile.Element, true), b.Scan(0, tile.NewFold(ir.ReduceAdd, ir.I64), false, "", digit)[0])
		}, true},
		"a sum of places": {func(b *tile.Builder, digit, place tile.ID) {
			b.Store(b.Stream("y", ir.I64, "y", tile.Element, true), b.Scan(0, tile.NewFold(ir.ReduceAdd, ir.I64), false, "", place)[0])
		}, false},
		"a sum of all places": {func(b *tile.Builder, digit, place tile.ID) {
			b.StoreScalar("total", b.Reduce(0, tile.NewFold(ir.ReduceAdd, ir.I64), "", place)[0])
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := tile.NewBuilder("k", "n", "n")
			digit := b.Load(b.Stream("digit", ir.I64, "digit", tile.Element, false))
			before := b.LoadAt(0, b.Stream("before", ir.I64, "before", tile.Gather, false), digit, false)
			first := b.Map(0, ir.OpSub, ir.I64, "", before, b.Scalar("right", ir.I64))
			c.write(b, digit, b.Rank(digit, first, 1<<Radix))
			k := newKernel(b.Finish(), func(ir.Pos) string { return "" }, &plan.Plan{}, false)
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
