package tile_test

import (
	"testing"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// segments builds runs of a key, of which those with several rows are kept.
type segments struct {
	*tile.Builder
	key, head, begun, count tile.ID
	group, kept             int
	place, amount           tile.ID
}

func newSegments() *segments {
	b := &segments{Builder: tile.NewBuilder("k", "n", "n")}
	add := tile.NewFold(ir.ReduceAdd, ir.I64)
	b.key = b.Load(b.Stream("key", ir.I64, "key", tile.Halo, false))
	b.amount = b.Load(b.Stream("amount", ir.I64, "amount", tile.Element, false))
	b.head = b.Head(b.key)
	b.begun = b.Scan(0, add, true, "begun", b.Map(0, ir.OpCast, ir.I64, "", b.head))[0]
	b.group = b.Derive(tile.Close, 0, b.head, "g", "g")
	b.CountBy(b.group, b.begun)
	b.count = b.Scan(0, tile.NewSegmented(add), true, "count", b.head, b.Int(1))[1]
	b.kept = b.Derive(tile.Compact, b.group, b.Map(b.group, ir.OpGt, ir.Bool, "", b.count, b.Int(1)), "kept", "kept")
	b.place = b.Scan(b.kept, add, true, "place", b.Int(1))[0]
	b.CountBy(b.kept, b.place)
	b.StoreAt(b.kept, b.Stream("counts", ir.I64, "counts", tile.Place, true), b.count, b.place)
	return b
}

// Kernels whose blocks need nothing of earlier ones but where results go, and kernels that need more.
func TestClosing(t *testing.T) {
	add := tile.NewFold(ir.ReduceAdd, ir.I64)
	for _, c := range []struct {
		name string
		more func(b *segments)
		want bool
	}{
		{"segments that are kept", func(*segments) {}, true},
		{"a fold of those that are kept", func(b *segments) {
			b.StoreAt(b.kept, b.Stream("sums", ir.I64, "sums", tile.Place, true), b.Scan(b.kept, add, false, "sum", b.count)[0], b.place)
		}, true},
		{"an expression of such a fold", func(b *segments) {
			x := b.Map(b.kept, ir.OpNeg, ir.I64, "", b.Scan(b.kept, add, false, "sum", b.count)[0])
			b.StoreAt(b.kept, b.Stream("sums", ir.I64, "sums", tile.Place, true), x, b.place)
		}, false},
		{"reductions of rows and of segments", func(b *segments) {
			b.StoreScalar("all", b.Reduce(0, add, "all", b.amount)[0])
			b.StoreScalar("counted", b.Reduce(b.kept, add, "counted", b.count)[0])
		}, true},
		{"a mask over those that are kept", func(b *segments) {
			d := b.Derive(tile.Compact, b.kept, b.Map(b.kept, ir.OpLt, ir.Bool, "", b.count, b.Int(9)), "few", "few")
			at := b.Scan(d, add, true, "at", b.Int(1))[0]
			b.CountBy(d, at)
			b.StoreAt(d, b.Stream("few", ir.I64, "few", tile.Place, true), b.count, at)
		}, true},
		{"a mask over a fold of those that are kept", func(b *segments) {
			d := b.Derive(tile.Compact, b.kept, b.Map(b.kept, ir.OpLt, ir.Bool, "", b.Scan(b.kept, add, false, "sum", b.count)[0], b.Int(9)), "few", "few")
			b.StoreScalar("few", b.Reduce(d, add, "few", b.count)[0])
		}, false},
		{"the number of a segment", func(b *segments) {
			b.StoreAt(b.kept, b.Stream("numbers", ir.I64, "numbers", tile.Place, true), b.begun, b.place)
		}, false},
		{"a fold of all rows", func(b *segments) {
			b.Store(b.Stream("so_far", ir.I64, "so_far", tile.Element, true), b.Scan(0, add, false, "so_far", b.amount)[0])
		}, false},
		{"a store of each row", func(b *segments) {
			b.Store(b.Stream("out", ir.I64, "out", tile.Element, true), b.amount)
		}, false},
		{"a value of the segment before, for a row", func(b *segments) {
			b.StoreScalar("most", b.Reduce(0, tile.NewFold(ir.ReduceMax, ir.I64), "most", b.Map(0, ir.OpAdd, ir.I64, "", b.count, b.amount))[0])
		}, false},
		{"segments of other rows", func(b *segments) {
			b.Derive(tile.Close, 0, b.Head(b.amount), "h", "h")
		}, false},
		{"selected rows of the base", func(b *segments) {
			d := b.Derive(tile.Compact, 0, b.Map(0, ir.OpLt, ir.Bool, "", b.amount, b.Int(9)), "few", "few")
			b.StoreScalar("few", b.Reduce(d, add, "few", b.amount)[0])
		}, true},
		{"stored rows of the base that are selected", func(b *segments) {
			d := b.Derive(tile.Compact, 0, b.Map(0, ir.OpLt, ir.Bool, "", b.amount, b.Int(9)), "few", "few")
			at := b.Scan(d, add, true, "at", b.Int(1))[0]
			b.CountBy(d, at)
			b.StoreAt(d, b.Stream("few", ir.I64, "few", tile.Place, true), b.amount, at)
		}, false},
	} {
		b := newSegments()
		c.more(b)
		if got := b.Finish().Closing() > 0; got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
