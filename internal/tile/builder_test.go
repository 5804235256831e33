package tile_test

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Equal pure operations are one; any difference makes two.
func TestBuilderShares(t *testing.T) {
	b := tile.NewBuilder("k", "n", "n")
	stream := func(name string) int { return b.Stream(name, ir.I64, name, tile.Element, false) }
	sum, least := tile.NewFold(ir.ReduceAdd, ir.I64), tile.NewFold(ir.ReduceMin, ir.I64)
	x, y := b.Load(stream("x")), b.Load(stream("y"))
	flag := b.Map(0, ir.OpGt, ir.Bool, "", x, y)
	k := b.Derive(tile.Compact, 0, flag, "k", "k")
	builds := []struct {
		name  string
		build func() tile.ID
	}{
		{"x", func() tile.ID { return b.Load(stream("x")) }},
		{"y", func() tile.ID { return b.Load(stream("y")) }},
		{"x at y", func() tile.ID { return b.LoadAt(0, stream("x"), y, false) }},
		{"x at y checked", func() tile.ID { return b.LoadAt(0, stream("x"), y, true) }},
		{"x at y in k", func() tile.ID { return b.LoadAt(k, stream("x"), y, false) }},
		{"1", func() tile.ID { return b.Int(1) }},
		{"2", func() tile.ID { return b.Int(2) }},
		{"1 of i32", func() tile.ID { return b.Const(ir.Int(ir.I32, 1)) }},
		{"scalar a", func() tile.ID { return b.Scalar("a", ir.I64) }},
		{"scalar b", func() tile.ID { return b.Scalar("b", ir.I64) }},
		{"length a", func() tile.ID { return b.Length("a") }},
		{"x + y", func() tile.ID { return b.Map(0, ir.OpAdd, ir.I64, "", x, y) }},
		{"y + x", func() tile.ID { return b.Map(0, ir.OpAdd, ir.I64, "", y, x) }},
		{"x - y", func() tile.ID { return b.Map(0, ir.OpSub, ir.I64, "", x, y) }},
		{"x + y in k", func() tile.ID { return b.Map(k, ir.OpAdd, ir.I64, "", x, y) }},
		{"i32(x)", func() tile.ID { return b.Map(0, ir.OpCast, ir.I32, "", x) }},
		{"i16(x)", func() tile.ID { return b.Map(0, ir.OpCast, ir.I16, "", x) }},
		{"x a row back", func() tile.ID { return b.Shift(x, b.Int(0), 1) }},
		{"x two rows back", func() tile.ID { return b.Shift(x, b.Int(0), 2) }},
		{"head of x", func() tile.ID { return b.Head(x) }},
		{"head of x, y", func() tile.ID { return b.Head(x, y) }},
		{"scan", func() tile.ID { return b.Scan(0, sum, false, "", x)[0] }},
		{"scan exclusive", func() tile.ID { return b.Scan(0, sum, true, "", x)[0] }},
		{"scan in k", func() tile.ID { return b.Scan(k, sum, false, "", x)[0] }},
		{"scan min", func() tile.ID { return b.Scan(0, least, false, "", x)[0] }},
		{"scan of y", func() tile.ID { return b.Scan(0, sum, false, "", y)[0] }},
		{"reduce", func() tile.ID { return b.Reduce(0, sum, "", x)[0] }},
		{"total", func() tile.ID { return b.Total(b.Scan(0, sum, false, "", x)[0], "") }},
	}
	made := map[tile.ID]string{}
	for _, c := range builds {
		id := c.build()
		if other, taken := made[id]; taken {
			t.Errorf("%s is %s", c.name, other)
		}
		made[id] = c.name
	}
	for _, c := range builds {
		if id := c.build(); made[id] != c.name {
			t.Errorf("%s, asked for again, is %q", c.name, made[id])
		}
	}
}

// What depends on no row is computed once, unless only rows of a derived
// domain ask for it; what depends on a reduction comes after all rows.
func TestBuilderPlaces(t *testing.T) {
	b := tile.NewBuilder("k", "n", "n")
	x := b.Load(b.Stream("x", ir.I64, "x", tile.Element, false))
	once := b.Map(0, ir.OpAdd, ir.I64, "once", b.Int(1), b.Scalar("a", ir.I64))
	k := b.Derive(tile.Compact, 0, b.Map(0, ir.OpGt, ir.Bool, "", x, once), "k", "k")
	some := b.Map(k, ir.OpSub, ir.I64, "some", b.Int(1), once)
	sum := b.Reduce(k, tile.NewFold(ir.ReduceAdd, ir.I64), "sum", some)[0]
	twice := b.Map(tile.Uniform, ir.OpAdd, ir.I64, "twice", sum, sum)
	failed := b.Map(tile.Uniform, ir.OpEq, ir.Bool, "failed", twice, b.Int(0))
	b.Check(tile.Uniform, 0, failed, b.Int(0))
	b.Store(b.Stream("x", ir.I64, "out", tile.Element, true), x)
	kernel := b.Finish()
	for v, domain := range map[tile.ID]int{x: 0, once: tile.Uniform, some: k, sum: tile.Uniform, twice: tile.Uniform} {
		if got := kernel.Values[v].Domain; got != domain {
			t.Errorf("%s belongs to domain %d, not %d", kernel.Values[v].Name, got, domain)
		}
	}
	for v, epilogue := range map[tile.ID]bool{x: false, once: false, sum: false, twice: true, failed: true} {
		if got := kernel.Ops[kernel.Values[v].Op].Epilogue; got != epilogue {
			t.Errorf("%s in the epilogue: %v", kernel.Values[v].Name, got)
		}
	}
	if last := kernel.Ops[len(kernel.Ops)-1]; last.Kind != tile.Check {
		t.Errorf("the kernel ends with %v", last.Kind)
	}
	if s := kernel.Streams; len(s) != 2 || s[0].Write == s[1].Write {
		t.Errorf("reading and writing x is %v", s)
	}
}

// A stream is declared once, with its least regular access.
func TestBuilderStreams(t *testing.T) {
	b := tile.NewBuilder("k", "n", "n")
	for _, access := range []tile.Access{tile.Element, tile.Gather, tile.Place, tile.Element} {
		b.Stream("x", ir.I64, "x", access, false)
	}
	if s := b.Kernel.Streams; len(s) != 1 || s[0].Access != tile.Gather {
		t.Errorf("the streams are %v", s)
	}
}

// The persistent scheme takes kernels of exactly one cut.
func TestRefusePersistent(t *testing.T) {
	scans := func(count int) *tile.Kernel {
		b := tile.NewBuilder("k", "n", "n")
		x := b.Row()
		for range count {
			x = b.Scan(0, tile.NewFold(ir.ReduceAdd, ir.I64), false, "", x)[0]
		}
		b.Store(b.Stream("out", ir.I64, "out", tile.Element, true), x)
		return b.Finish()
	}
	for _, c := range []struct {
		kernel *tile.Kernel
		want   string
	}{
		{scans(0), "there is no cut"},
		{scans(1), ""},
		{scans(2), "there are 2 cuts"},
		{chunks(), "whole chunks"},
	} {
		got := tile.Analyze(c.kernel).RefusePersistent()
		if got == "" != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("refused with %q, not %q", got, c.want)
		}
	}
}
