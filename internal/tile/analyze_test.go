package tile_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/internal/tile/tiletest"
	"github.com/kgen-go/kgen/ir"
)

// The live values of each cut, and how they are kept, if the programs of tiletest do
// not show it.
func TestCarries(t *testing.T) {
	sum := tile.NewFold(ir.ReduceAdd, ir.I64)
	column := func(b *tile.Builder, name string, k ir.Kind) tile.ID {
		return b.Load(b.Stream(name, k, name, tile.Element, false))
	}
	store := func(b *tile.Builder, x tile.ID) {
		b.Store(b.Stream("out", b.Kernel.Values[x].Kind, "out", tile.Element, true), x)
	}
	for _, c := range []struct {
		name  string
		build func(b *tile.Builder)
		want  [][]string // per cut
	}{
		{"a scan that only its total uses", func(b *tile.Builder) {
			x := column(b, "x", ir.I64)
			b.StoreScalar("whole", b.Total(b.Scan(0, sum, false, "sum", b.Map(0, ir.OpMul, ir.I64, "square", x, x))[0], ""))
			store(b, x)
		}, nil}, // a reduction
		{"a scan that selects rows", func(b *tile.Builder) {
			x := column(b, "x", ir.I64)
			positive := b.Map(0, ir.OpGt, ir.Bool, "positive", x, b.Int(0))
			begun := b.Scan(0, tile.NewFold(ir.ReduceOr, ir.Bool), false, "begun", positive)[0]
			k := b.Derive(tile.Compact, 0, begun, "k", "k")
			b.StoreScalar("largest", b.Reduce(k, tile.NewFold(ir.ReduceMax, ir.I64), "largest", x)[0])
		}, [][]string{{"positive recompute", "x ring"}}},
		{"a scan of chunks", func(b *tile.Builder) {
			x := column(b, "x", ir.I64)
			within := b.ChunkScan(sum, true, []int{b.Stream("totals", ir.I64, "totals", tile.Chunk, true)}, "within", x)[0]
			store(b, b.Map(0, ir.OpSub, ir.I64, "", b.Scan(0, sum, false, "sum", x)[0], within))
		}, [][]string{{"x ring", "within register"}}},
		{"neighbours and row numbers", func(b *tile.Builder) {
			x := column(b, "x", ir.I64)
			before := b.Shift(x, b.Int(0), 1)
			all := b.Scan(0, sum, false, "sum", before)[0]
			store(b, b.Map(0, ir.OpAdd, ir.I64, "", b.Map(0, ir.OpMul, ir.I64, "", all, b.Row()), before))
		}, [][]string{{"shift recompute", "row recompute"}}},
		{"elements at a place", func(b *tile.Builder) {
			x := column(b, "x", ir.I64)
			table := b.Stream("table", ir.I64, "table", tile.Place, false)
			place := b.Scan(0, sum, true, "place", b.Int(1))[0]
			at := b.LoadAt(0, table, place, true)
			gathered := b.LoadAt(0, b.Stream("other", ir.I64, "other", tile.Gather, false), x, true)
			store(b, b.Map(0, ir.OpAdd, ir.I64, "", b.Scan(0, sum, false, "sum", at)[0], b.Map(0, ir.OpAdd, ir.I64, "", at, gathered)))
		}, [][]string{{"other recompute"}, {"table register", "map register"}}},
		{"groups that only a reduction counts", func(b *tile.Builder) {
			head := b.Head(column(b, "x", ir.I64))
			begun := b.Scan(0, sum, true, "begun", b.Map(0, ir.OpCast, ir.I64, "one", head))[0]
			g := b.Derive(tile.Close, 0, head, "g", "g")
			b.Kernel.Domains[g].Open, b.Kernel.Domains[g].Position = b.Map(0, ir.OpGt, ir.Bool, "open", begun, b.Int(0)), begun
			b.StoreScalar("groups", b.Reduce(g, sum, "groups", b.Int(1))[0])
		}, [][]string{{"one recompute", "head recompute"}}},
	} {
		b := tile.NewBuilder("k", "n", "n")
		c.build(b)
		k := b.Finish()
		if err := tile.Verify(k); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		a := tile.Analyze(k)
		var got [][]string
		for _, cut := range a.Cuts {
			var list []string
			for _, live := range cut.Live {
				list = append(list, fmt.Sprint(valueName(k, live.Value), " ", live.How))
			}
			got = append(got, list)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s%v", c.name, diff, a)
		}
		for seed := range uint64(20) {
			const rows = 70
			memory := func() *tiletest.Memory {
				m := data(k, rows, rand.New(rand.NewPCG(seed, 0)))
				m.ChunkRows = 5
				return m
			}
			byRow, inBlocks := memory(), memory()
			if err := tiletest.Sequential(k, byRow, rows); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			if err := tiletest.Blocks(a, inBlocks, rows, rand.New(rand.NewPCG(seed, 1))); err != nil {
				t.Errorf("%s: %v\n%v", c.name, err, a)
				break
			}
			if diff := cmp.Diff(fmt.Sprint(byRow), fmt.Sprint(inBlocks)); diff != "" {
				t.Errorf("%s: %s", c.name, diff)
				break
			}
		}
	}
}

// valueName names a value without a name by what computes it.
func valueName(k *tile.Kernel, v tile.ID) string {
	if name := k.Values[v].Name; name != "" {
		return name
	}
	return k.Ops[k.Values[v].Op].Kind.String()
}

// A ring stages the streams that rows load by their own number, with as many
// neighbours as the farthest shift needs.
func TestStaged(t *testing.T) {
	b := tile.NewBuilder("k", "n", "n")
	stream := func(name string, access tile.Access) int { return b.Stream(name, ir.I64, name, access, false) }
	x, y := b.Load(stream("x", tile.Element)), b.Load(stream("y", tile.Element))
	sum := b.Map(0, ir.OpAdd, ir.I64, "", x, b.Map(0, ir.OpMul, ir.I64, "", x, y))
	table := b.LoadAt(0, stream("table", tile.Gather), y, true)
	both := b.LoadAt(0, stream("y", tile.Gather), x, true)
	for _, distance := range []int64{3, 1, -2, -1} {
		b.Shift(sum, b.Int(0), distance)
		b.Shift(table, b.Int(0), distance)
	}
	b.Head(x)
	b.Shift(both, b.Int(0), 9)
	got := tile.Analyze(b.Finish()).Staged
	want := []tile.Staged{{Stream: 0, Before: 9, After: 2}, {Stream: 1, Before: 3, After: 2}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
