package tile_test

import (
	"fmt"
	"testing"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// level is a domain of groups, or of those kept, with aggregates of each.
type level struct {
	domain            int
	key, count, total tile.ID
}

// Segments of segments that are kept are in one cut, at any depth, and give the same, however states are bracketed.
func TestSegmentsOfKeptSegmentsInOneCut(t *testing.T) {
	inner := map[string]func() (*nested, level){
		"all rows": func() (*nested, level) {
			b := newSegments()
			last := b.Scan(0, tile.NewLast(ir.I64), true, "last", b.Const(ir.BoolScalar(true)), b.amount)[1]
			return &nested{b.Builder}, level{b.group, last, b.count, b.Scan(0, tile.NewSegmented(add()), true, "sum", b.head, b.amount)[1]}
		},
		"filtered rows": func() (*nested, level) {
			b := newFilteredSegments(false)
			return &nested{b.Builder}, level{b.group, b.last[1], b.count, b.Scan(b.rows, tile.NewSegmented(add()), true, "sum", b.head, b.amount)[1]}
		},
	}
	for _, c := range []struct {
		name string
		more func(b *nested, in level)
		cuts int
	}{
		{"runs of all", func(b *nested, in level) { b.runs(in, "outer", in.count) }, 1},
		{"runs of those kept", func(b *nested, in level) { b.runs(b.keep(in, "some", b.several(in)), "outer", in.count) }, 1},
		{"those of these that are kept", func(b *nested, in level) {
			out := b.runs(b.keep(in, "some", b.several(in)), "outer", in.count)
			b.keep(out, "few", b.Map(out.domain, ir.OpLt, ir.Bool, "", out.total, b.Scalar("limit", ir.I64)))
		}, 1},
		{"masks over what masks keep", func(b *nested, in level) {
			some := b.keep(in, "some", b.Map(in.domain, ir.OpGe, ir.Bool, "", in.key, b.Int(-2)))
			out := b.runs(b.keep(some, "fewer", b.Map(some.domain, ir.OpGt, ir.Bool, "", in.total, b.Int(-3))), "outer", in.count)
			b.keep(b.keep(out, "long", b.several(out)), "least", b.Map(out.domain, ir.OpLt, ir.Bool, "", out.key, b.Int(4)))
		}, 1},
		{"running sums, and how many there are", func(b *nested, in level) {
			out := b.runs(b.keep(in, "some", b.several(in)), "outer", in.count)
			b.StoreAt(out.domain, b.Stream("running", ir.I64, "running", tile.Place, true), b.Scan(out.domain, add(), false, "running", out.total)[0], b.Kernel.Domains[out.domain].Position)
			b.StoreScalar("outers", b.Total(b.Kernel.Domains[out.domain].Counter, ""))
		}, 1},
		{"two kinds of groups of the same", func(b *nested, in level) {
			some := b.keep(in, "some", b.several(in))
			b.runs(some, "outer", in.count)
			b.runs(some, "other", in.key)
		}, 1},
		{"runs of runs of those kept", func(b *nested, in level) {
			out := b.runs(b.keep(in, "some", b.several(in)), "outer", in.count)
			b.runs(out, "outermost", out.count)
		}, 1},
		{"runs of those kept of runs of those kept", func(b *nested, in level) {
			out := b.runs(b.keep(in, "some", b.several(in)), "outer", in.count)
			outermost := b.runs(b.keep(out, "few", b.several(out)), "outermost", out.count)
			b.keep(outermost, "last", b.several(outermost))
		}, 1},
	} {
		for name, begin := range inner {
			name := fmt.Sprintf("%s, %s", c.name, name)
			b, in := begin()
			c.more(b, in)
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
				t.Errorf("%s: %d cuts", name, got)
			}
			agreeInBlocks(t, name, k, at)
		}
	}
}

// nested builds groups of groups.
type nested struct{ *tile.Builder }

func (b *nested) several(of level) tile.ID {
	return b.Map(of.domain, ir.OpGt, ir.Bool, "", of.count, b.Int(1))
}

// keep keeps groups.
func (b *nested) keep(in level, name string, mask tile.ID) level {
	d := b.Derive(tile.Compact, in.domain, mask, name, name)
	at := b.Scan(d, add(), true, name+"_place", b.Int(1))[0]
	b.CountBy(d, at)
	b.StoreScalar(name+"_length", b.Total(at, ""))
	in.domain = d
	b.store(in, name)
	return in
}

// runs builds runs of a key in the rows of a domain that is made of segments, and sums what the rows have.
func (b *nested) runs(in level, name string, key tile.ID) level {
	d := in.domain
	last := b.Scan(d, tile.NewLast(ir.I64), true, "last", b.Const(ir.BoolScalar(true)), key)
	head := b.Map(d, ir.OpLogicalOr, ir.Bool, "head", b.Map(d, ir.OpNot, ir.Bool, "", last[0]), b.Map(d, ir.OpNe, ir.Bool, "", last[1], key))
	out := level{domain: b.Derive(tile.Close, d, head, name, name), key: last[1]}
	b.CountBy(out.domain, b.Scan(d, add(), true, name+"_begun", b.Map(d, ir.OpCast, ir.I64, "", head))[0])
	out.count = b.Scan(d, tile.NewSegmented(add()), true, name+"_count", head, b.Int(1))[1]
	out.total = b.Scan(d, tile.NewSegmented(add()), true, name+"_total", head, in.total)[1]
	b.store(out, name)
	return out
}

// store stores what groups have.
func (b *nested) store(of level, name string) {
	for i, x := range []tile.ID{of.key, of.count, of.total} {
		column := name + []string{"_key", "_count", "_total"}[i]
		b.StoreAt(of.domain, b.Stream(column, ir.I64, column, tile.Place, true), x, b.Kernel.Domains[of.domain].Position)
	}
}
