package testsuite_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
)

// aheadText has several columns that follow an order by keys of up to 32 bits and of more, of which some are left by the sort.
const aheadText = `
pipeline narrow(k: [n]i32, a: [n]i64, b: [n]f64) {
	p = order(k)
	return a: a[p], b: b[p]
}
pipeline key(k: [n]i16, a: [n]i64, b: [n]i32, c: [n]u16, d: [n]bool) {
	p = order(desc(k))
	return k: k[p], a: a[p], b: b[p], c: c[p], d: d[p]
}
pipeline wide(k: [n]i64, a: [n]i64, b: [n]i32) {
	p = order(k)
	return b: b[p], a: a[p]
}
pipeline float(k: [n]f64, a: [n]i64, b: [n]i64, c: [n]i64) {
	p = order(k)
	return k: k[p], a: a[p], b: b[p], c: c[p]
}
pipeline two(k: [n]i16, l: [n]u32, a: [n]i64, b: [n]f64) {
	p = order(k, desc(l))
	return k: k[p], a: a[p], b: b[p], l: l[p]
}
pipeline many(k: [n]u8, l: [n]u8, a: [n]i32) {
	b = a + 1
	c = a + 2
	d = a + 3
	e = a + 4
	p = order(k, l)
	return a: a[p], b: b[p], c: c[p], d: d[p], e: e[p]
}
`

// TestRowsAhead sorts rows that move ahead of their sort, and fewer, which do not.
func TestRowsAhead(t *testing.T) {
	const least = 20
	pipelines, errs := ir.Load("ahead.kg", []byte(aheadText))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	shapes := testsuite.Shapes()
	for i, p := range pipelines {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			program, _, err := compile.Compile(p, compile.Options{Level: fuse.Levels[i%len(fuse.Levels)], Options: fuse.Options{Short: true, Radix: 4, Partitions: true, Moved: least}})
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(program.Kernels, func(k *tile.Kernel) bool {
				return k.Has(func(op *tile.Op) bool { return op.Kind == tile.Rank }) && k.Has(func(op *tile.Op) bool { return op.Kind == tile.Store && op.Width > 0 })
			})
			if at < 0 {
				t.Fatal("no kernel moves packed rows")
			}
			moving := program.Kernels[at].Name
			for _, scheme := range []string{simt.SchemePublished, simt.SchemeLookback} {
				lowered, err := simt.Lower(program, plan.Schedule{Workgroup: 8, Items: 2, Scheme: scheme})
				if err != nil {
					t.Fatal(err)
				}
				for j, rows := range []int{0, 1, least - 1, least, least + 1, 300} {
					data := testsuite.RandomData{Rows: rows, Shape: shapes[(i+j)%len(shapes)], Seed: uint64(i + j), Special: true}
					moved := false
					run := kerneltest.Watching(lowered, uint64(j), func(name string) { moved = moved || name == moving || strings.HasPrefix(name, moving+"_") })
					kerneltest.Agree(t, lowered.Plan, run, p, fmt.Sprintf("%s %+v", scheme, data), data.Columns(p))
					if moved != (rows >= least) {
						t.Errorf("%d rows: moved: %t", rows, moved)
					}
				}
			}
		})
	}
}

// TestRowsAheadByWideDigits sorts rows that move ahead by keys of ten bits, where others have two passes of five.
func TestRowsAheadByWideDigits(t *testing.T) {
	pipelines, errs := ir.Load("digits.kg", []byte("pipeline digits(k: [n]u16, a: [n]i64, b: [n]f64) {\n\tp = order(k)\n\treturn a: a[p], b: b[p], rows: order(k ^ 1)\n}\n"))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	p := pipelines[0]
	program, _, err := compile.Compile(p, compile.Options{Level: fuse.LevelOnePass, Options: fuse.Options{Short: true, Radix: 4, Wide: true, Partitions: true, Moved: 20}})
	if err != nil {
		t.Fatal(err)
	}
	lowered, err := simt.Lower(program, plan.Schedule{Workgroup: 8, Items: 2})
	if err != nil {
		t.Fatal(err)
	}
	const rows = 100
	in := []ir.Column{ir.NewColumn(ir.U16, rows), ir.NewColumn(ir.I64, rows), ir.NewColumn(ir.F64, rows)}
	for row := range rows {
		in[0].Set(row, ir.Int(ir.U16, int64(row*619&1023)))
		in[1].Set(row, ir.Int(ir.I64, int64(row)))
		in[2].Set(row, ir.Float(ir.F64, float64(row)))
	}
	kerneltest.Agree(t, lowered.Plan, kerneltest.Watching(lowered, 1, func(string) {}), p, "keys of ten bits", in)
}
