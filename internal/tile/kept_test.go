package tile_test

import (
	"testing"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Folds over kept segments are in the cut of these, and give the same, however states are bracketed.
func TestKeptAtOnce(t *testing.T) {
	add := tile.NewFold(ir.ReduceAdd, ir.I64)
	kept := func(b *segments, parent int, name string, mask tile.ID) int {
		d := b.Derive(tile.Compact, parent, mask, name, name)
		at := b.Scan(d, add, true, name+"_place", b.Int(1))[0]
		b.CountBy(d, at)
		b.StoreScalar(name+"_length", b.Total(at, ""))
		b.StoreAt(d, b.Stream(name, ir.I64, name, tile.Place, true), b.count, at)
		return d
	}
	for _, c := range []struct {
		name string
		more func(b *segments)
		cuts int
	}{
		{"segments that are kept", func(*segments) {}, 1},
		{"how many there are", func(b *segments) { b.StoreScalar("kept", b.Total(b.place, "")) }, 1},
		{"all segments, too", func(b *segments) {
			b.StoreAt(b.group, b.Stream("all", ir.I64, "all", tile.Place, true), b.count, b.Kernel.Domains[b.group].Position)
			b.StoreScalar("groups", b.Total(b.begun, ""))
		}, 1},
		{"masks over what masks keep, of several aggregates", func(b *segments) {
			sum := b.Scan(0, tile.NewSegmented(add), true, "sum", b.head, b.amount)[1]
			most := b.Scan(0, tile.NewSegmented(tile.NewFold(ir.ReduceMax, ir.I64)), true, "most", b.head, b.amount)[1]
			few := kept(b, b.kept, "few", b.Map(b.kept, ir.OpLt, ir.Bool, "", sum, b.Int(4)))
			kept(b, few, "fewer", b.Map(few, ir.OpGt, ir.Bool, "", most, b.count))
		}, 1},
		{"a mask over the last row", func(b *segments) {
			last := b.Scan(0, tile.NewLast(ir.I64), true, "last", b.Const(ir.BoolScalar(true)), b.amount)[1]
			kept(b, b.group, "last", b.Map(b.group, ir.OpGt, ir.Bool, "", last, b.Int(0)))
		}, 1},
		{"folds so far, and a mask by a scalar", func(b *segments) {
			mask := b.Map(b.group, ir.OpLe, ir.Bool, "", b.count, b.Scalar("limit", ir.I64))
			d := kept(b, b.group, "some", mask)
			b.StoreAt(d, b.Stream("sums", ir.I64, "sums", tile.Place, true), b.Scan(d, add, false, "sum", b.count)[0], b.Kernel.Domains[d].Position)
			b.StoreScalar("least", b.Total(b.Scan(d, tile.NewFold(ir.ReduceMin, ir.I64), false, "least", b.count)[0], ""))
		}, 1},
		{"the one before of those kept", func(b *segments) {
			before := b.Scan(b.kept, tile.NewLast(ir.I64), true, "before", b.Const(ir.BoolScalar(true)), b.count)
			difference := b.Map(b.kept, ir.OpSub, ir.I64, "", b.count, b.Map(b.kept, ir.OpSelect, ir.I64, "", before[0], before[1], b.Int(9)))
			b.StoreAt(b.kept, b.Stream("differences", ir.I64, "differences", tile.Place, true), difference, b.place)
			b.StoreScalar("last", b.Total(before[1], ""))
		}, 1},
		{"segments of filtered rows beside", func(b *segments) {
			rows := b.Derive(tile.Compact, 0, b.Map(0, ir.OpGt, ir.Bool, "", b.amount, b.Int(0)), "positive", "positive")
			last := b.Scan(rows, tile.NewLast(ir.I64), true, "last", b.Const(ir.BoolScalar(true)), b.amount)
			head := b.Map(rows, ir.OpLogicalOr, ir.Bool, "", b.Map(rows, ir.OpNot, ir.Bool, "", last[0]), b.Map(rows, ir.OpNe, ir.Bool, "", last[1], b.amount))
			d := b.Derive(tile.Close, rows, head, "amounts", "amounts")
			b.CountBy(d, b.Scan(rows, add, true, "amounts_begun", b.Map(rows, ir.OpCast, ir.I64, "", head))[0])
			b.StoreAt(d, b.Stream("amounts", ir.I64, "amounts", tile.Place, true), last[1], b.Kernel.Domains[d].Position)
		}, 1},
		{"a mask over sums that are rounded", func(b *segments) {
			x := b.Map(0, ir.OpCast, ir.F64, "", b.amount)
			sum := b.Scan(0, tile.NewSegmented(tile.NewFold(ir.ReduceAdd, ir.F64)), true, "sum", b.head, x)[1]
			kept(b, b.group, "large", b.Map(b.group, ir.OpGt, ir.Bool, "", sum, b.Const(ir.Float(ir.F64, 1))))
		}, 2},
		{"a mask by the length of a domain", func(b *segments) {
			kept(b, b.group, "long", b.Map(b.group, ir.OpGt, ir.Bool, "", b.count, b.Length("n")))
		}, 2},
	} {
		b := newSegments()
		c.more(b)
		k := b.Finish()
		if err := tile.Verify(k); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		at := k.KeptAtOnce()
		if err := tile.Verify(at); err != nil {
			t.Errorf("%s: %v\n%v", c.name, err, tile.Analyze(at))
			continue
		}
		if got := at.CountCuts(); got != c.cuts {
			t.Errorf("%s: %d cuts\n%v", c.name, got, tile.Analyze(at))
		}
		agreeInBlocks(t, c.name, k, at)
	}
}
