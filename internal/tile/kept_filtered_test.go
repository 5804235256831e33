package tile_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/internal/tile/tiletest"
	"github.com/kgen-go/kgen/ir"
)

// filteredSegments builds runs of a key in rows that a filter keeps.
type filteredSegments struct {
	*segments
	rows      int
	last      []tile.ID // whether there is a row before, and its key
	rowNumber tile.ID
}

func newFilteredSegments(starts bool) *filteredSegments {
	b := &filteredSegments{segments: &segments{Builder: tile.NewBuilder("k", "n", "n")}}
	b.key = b.Load(b.Stream("key", ir.I64, "key", tile.Element, false))
	b.amount = b.Load(b.Stream("amount", ir.I64, "amount", tile.Element, false))
	even := b.Map(0, ir.OpEq, ir.Bool, "", b.Map(0, ir.OpAnd, ir.I64, "", b.amount, b.Int(1)), b.Int(0))
	b.rows = b.Derive(tile.Compact, 0, even, "even", "even")
	b.last = b.Scan(b.rows, tile.NewLast(ir.I64), true, "last", b.Const(ir.BoolScalar(true)), b.key)
	b.head = b.Map(b.rows, ir.OpLogicalOr, ir.Bool, "head", b.Map(b.rows, ir.OpNot, ir.Bool, "", b.last[0]), b.Map(b.rows, ir.OpNe, ir.Bool, "", b.last[1], b.key))
	if starts { // the first row, those of amount 0, and those whose keys differ by more than one, 5 being before all rows
		b.rowNumber = b.Scan(b.rows, add(), true, "even_place", b.Int(1))[0]
		b.CountBy(b.rows, b.rowNumber)
		before := b.Map(b.rows, ir.OpSelect, ir.I64, "", b.last[0], b.last[1], b.Int(5))
		far := b.Map(b.rows, ir.OpGt, ir.Bool, "", b.Map(b.rows, ir.OpSub, ir.I64, "", b.key, before), b.Scalar("limit", ir.I64))
		starts := b.Map(b.rows, ir.OpLogicalOr, ir.Bool, "", far, b.Map(0, ir.OpEq, ir.Bool, "", b.amount, b.Int(0)))
		b.head = b.Map(b.rows, ir.OpLogicalOr, ir.Bool, "head", b.Map(b.rows, ir.OpEq, ir.Bool, "", b.rowNumber, b.Int(0)), starts)
	}
	b.begun = b.Scan(b.rows, add(), true, "begun", b.Map(b.rows, ir.OpCast, ir.I64, "", b.head))[0]
	b.group = b.Derive(tile.Close, b.rows, b.head, "g", "g")
	b.CountBy(b.group, b.begun)
	b.count = b.Scan(b.rows, tile.NewSegmented(add()), true, "count", b.head, b.Int(1))[1]
	return b
}

func add() *tile.Monoid { return tile.NewFold(ir.ReduceAdd, ir.I64) }

// keep keeps groups, and stores x of each.
func (b *filteredSegments) keep(parent int, name string, mask, x tile.ID) int {
	d := b.Derive(tile.Compact, parent, mask, name, name)
	at := b.Scan(d, add(), true, name+"_place", b.Int(1))[0]
	b.CountBy(d, at)
	b.StoreScalar(name+"_length", b.Total(at, ""))
	b.StoreAt(d, b.Stream(name, ir.I64, name, tile.Place, true), x, at)
	return d
}

func (b *filteredSegments) all(name string, x tile.ID) {
	b.StoreAt(b.group, b.Stream(name, ir.I64, name, tile.Place, true), x, b.Kernel.Domains[b.group].Position)
}

func (b *filteredSegments) several() tile.ID {
	return b.Map(b.group, ir.OpGt, ir.Bool, "", b.count, b.Int(1))
}

// Segments of filtered rows are in one cut, masks over them too, and give the same, however states are bracketed.
func TestSegmentsOfFilteredRowsInOneCut(t *testing.T) {
	for _, c := range []struct {
		name string
		more func(b *filteredSegments)
		cuts int
	}{
		{"all segments", func(b *filteredSegments) { b.all("counts", b.count) }, 1},
		{"all segments, and how many there are", func(b *filteredSegments) {
			b.all("sums", b.Scan(b.rows, tile.NewSegmented(add()), true, "sum", b.head, b.amount)[1])
			b.StoreScalar("groups", b.Total(b.begun, ""))
		}, 1},
		{"first and last rows", func(b *filteredSegments) {
			b.all("firsts", b.Scan(b.rows, tile.NewLast(ir.I64), true, "first", b.head, b.amount)[1])
			b.all("lasts", b.Scan(b.rows, tile.NewLast(ir.I64), true, "last_amount", b.Const(ir.BoolScalar(true)), b.amount)[1])
			b.all("keys", b.last[1])
		}, 1},
		{"segments that are kept", func(b *filteredSegments) { b.keep(b.group, "kept", b.several(), b.last[1]) }, 1},
		{"those kept beside all", func(b *filteredSegments) {
			b.keep(b.group, "kept", b.several(), b.count)
			b.all("counts", b.count)
		}, 1},
		{"masks over what masks keep, of first and last rows", func(b *filteredSegments) {
			first := b.Scan(b.rows, tile.NewLast(ir.I64), true, "first", b.head, b.amount)[1]
			last := b.Scan(b.rows, tile.NewLast(ir.I64), true, "last_amount", b.Const(ir.BoolScalar(true)), b.amount)[1]
			few := b.keep(b.group, "few", b.Map(b.group, ir.OpLt, ir.Bool, "", first, b.Int(3)), last)
			b.keep(few, "fewer", b.Map(few, ir.OpGe, ir.Bool, "", last, b.count), first)
		}, 1},
		{"folds so far, and a mask by a scalar", func(b *filteredSegments) {
			d := b.keep(b.group, "some", b.Map(b.group, ir.OpLe, ir.Bool, "", b.count, b.Scalar("limit", ir.I64)), b.count)
			b.StoreAt(d, b.Stream("sums", ir.I64, "sums", tile.Place, true), b.Scan(d, add(), false, "sum", b.count)[0], b.Kernel.Domains[d].Position)
			b.StoreScalar("least", b.Total(b.Scan(d, tile.NewFold(ir.ReduceMin, ir.I64), false, "least", b.count)[0], ""))
		}, 1},
		{"the number of each row's segment", func(b *filteredSegments) {
			at := b.Scan(b.rows, add(), true, "even_place", b.Int(1))[0]
			b.CountBy(b.rows, at)
			b.StoreAt(b.rows, b.Stream("numbers", ir.I64, "numbers", tile.Place, true), b.Map(b.rows, ir.OpAdd, ir.I64, "", b.begun, b.Map(b.rows, ir.OpCast, ir.I64, "", b.head)), at)
			b.keep(b.group, "kept", b.several(), b.count)
		}, 1},
		{"the one before of those kept", func(b *filteredSegments) {
			d := b.keep(b.group, "kept", b.several(), b.count)
			before := b.Scan(d, tile.NewLast(ir.I64), true, "before", b.Const(ir.BoolScalar(true)), b.count)
			difference := b.Map(d, ir.OpSub, ir.I64, "", b.count, b.Map(d, ir.OpSelect, ir.I64, "", before[0], before[1], b.Int(9)))
			b.StoreAt(d, b.Stream("differences", ir.I64, "differences", tile.Place, true), difference, b.Kernel.Domains[d].Position)
			b.StoreScalar("last", b.Total(before[1], ""))
		}, 1},
		{"segments of those kept", func(b *filteredSegments) {
			d := b.keep(b.group, "kept", b.several(), b.count)
			before := b.Scan(d, tile.NewLast(ir.I64), true, "before", b.Const(ir.BoolScalar(true)), b.count)
			head := b.Map(d, ir.OpLogicalOr, ir.Bool, "", b.Map(d, ir.OpNot, ir.Bool, "", before[0]), b.Map(d, ir.OpNe, ir.Bool, "", before[1], b.count))
			outer := b.Derive(tile.Close, d, head, "outer", "outer")
			b.CountBy(outer, b.Scan(d, add(), true, "outer_begun", b.Map(d, ir.OpCast, ir.I64, "", head))[0])
			b.StoreAt(outer, b.Stream("outer", ir.I64, "outer", tile.Place, true), before[1], b.Kernel.Domains[outer].Position)
		}, 1},
		{"a mask over sums that are rounded", func(b *filteredSegments) {
			x := b.Map(0, ir.OpCast, ir.F64, "", b.amount)
			sum := b.Scan(b.rows, tile.NewSegmented(tile.NewFold(ir.ReduceAdd, ir.F64)), true, "sum", b.head, x)[1]
			b.keep(b.group, "large", b.Map(b.group, ir.OpGt, ir.Bool, "", sum, b.Const(ir.Float(ir.F64, 1))), b.count)
		}, 3},
	} {
		for _, starts := range []bool{false, true} {
			name := fmt.Sprintf("%s, starts %v", c.name, starts)
			b := newFilteredSegments(starts)
			c.more(b)
			k := b.Finish()
			if err := tile.Verify(k); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			at := k.KeptAtOnce()
			if err := tile.Verify(at); err != nil {
				t.Errorf("%s: %v\n%v", name, err, tile.Analyze(at))
				continue
			}
			if got := at.CountCuts(); got != c.cuts {
				t.Errorf("%s: %d cuts\n%v", name, got, tile.Analyze(at))
			}
			agreeInBlocks(t, name, k, at)
		}
	}
}

// agreeInBlocks runs two kernels over the same data, the second one in blocks.
func agreeInBlocks(t *testing.T, name string, k, at *tile.Kernel) {
	for seed := range uint64(40) {
		rows := []int{0, 1, 2, 70}[seed%4]
		memory := func() *tiletest.Memory {
			r := rand.New(rand.NewPCG(seed, 0))
			m := data(k, rows, r)
			m.Scalars["limit"] = ir.Int(ir.I64, r.Int64N(5))
			m.Lengths["n"] = int64(rows)
			return m
		}
		want, got := memory(), memory()
		if err := tiletest.Sequential(k, want, rows); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := tiletest.Blocks(tile.Analyze(at), got, rows, rand.New(rand.NewPCG(seed, 1))); err != nil {
			t.Fatalf("%s, seed %d: %v\n%v", name, seed, err, tile.Analyze(at))
		}
		if fmt.Sprint(want) != fmt.Sprint(got) {
			t.Fatalf("%s, seed %d: got\n%v\nwant\n%v\n%v", name, seed, got, want, tile.Analyze(at))
		}
	}
}
