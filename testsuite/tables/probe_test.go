package tables_test

import (
	"fmt"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
	"github.com/kgen-go/kgen/testsuite/sample"
)

// probeText has joins by keys of several words, of rows that masks keep, and of pairs.
const probeText = `
pipeline tuples(a: [n]f64, b: [n]i32, c: [n]u64, d: [m]f64, e: [m]i32, f: [m]u64) {
	j = join((a, b, c), (d, e, f))
	return left: j.left, right: j.right, row: find((b, a, c), in: (e, d, f))
}
pipeline filtered(a: [n]i32, b: [m]i32) {
	kept = b[b > 1]
	j = join(a[a != 3], kept)
	return left: j.left, right: j.right, key: kept[j.right], row: find(kept, in: a)
}
pipeline joined_again(a: [n]i16, b: [m]i16) {
	j = join(a, b)
	k = join(a[j.left], b)
	return left: k.left, right: k.right, pairs: len(k.left), most: max(k.right, by: bins(k.left, len(j.left)), else: -1)
}
`

// TestProbes joins and finds rows by every setting of probe.
func TestProbes(t *testing.T) {
	t.Parallel()
	text := probeText
	for i, kind := range []string{"bool", "i8", "u16", "i32", "u64", "i64", "f32", "f64", "char8", "date", "decimal(2)"} {
		text += fmt.Sprintf(`pipeline one%d(a: [n]%s, b: [m]%[2]s) {
			j = join(a, b)
			return left: j.left, right: j.right, row: find(a, in: b)
		}
		`, i, kind)
	}
	pipelines, errs := ir.Load("probe.kg", []byte(text))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	sample.Log(t)
	for i, p := range pipelines {
		for k, probe := range plan.Probes {
			for part := range 2 { // in parts, numbers of rows have 64 bits
				if !sample.TakesSetting(0, i+k+part, 2) {
					continue
				}
				schedule := plan.Schedule{Workgroup: 8, Items: 2, Probe: probe, Part: int64(part * 50)}
				lowered := kerneltest.Lowered(t, p, fuse.LevelAuto, schedule)
				for j, rows := range []int{0, 1, 25} {
					shape := testsuite.Shapes()[(i+j+part)%len(testsuite.Shapes())]
					data := testsuite.RandomData{Rows: rows, Shape: shape, Seed: uint64(i + j), Special: true}
					kerneltest.AgreeEmulated(t, lowered, p, fmt.Sprintf("%s by %s, parts of %d, %+v", p.Name, probe, schedule.Part, data), data.Columns(p))
				}
			}
		}
	}
}

// TestNestedLoops compares few rows with more than nested loops have in local memory at a time.
func TestNestedLoops(t *testing.T) {
	t.Parallel()
	pipelines, errs := ir.Load("loops.kg", []byte(`
pipeline loops(a: [n]i32, b: [n]f64, c: [m]i32, d: [m]f64) {
	j = join((a, b), (c, d))
	return left: j.left, right: j.right, row: find(a, in: c)
}
`))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	p := pipelines[0]
	for _, others := range []int{0, 1023, 1024, 1025, 2100} {
		schedule := plan.Schedule{Workgroup: 8, Items: 3, Probe: plan.Loops}
		program, _, err := compile.Compile(p, compile.For(fuse.LevelOnePass, schedule))
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range program.Kernels {
			if k.Has((*tile.Op).Nests) && k.Has((*tile.Op).Cuts) {
				t.Errorf("kernel %s may run nested loops twice", k.Name)
			}
		}
		lowered, err := simt.Target{Atomics64: true}.Lower(program, schedule)
		if err != nil {
			t.Fatal(err)
		}
		in := make([]ir.Column, len(p.Params))
		for i, x := range p.Params {
			rows := 29
			if i >= 2 {
				rows = others
			}
			in[i] = ir.NewColumn(x.Type.Kind, rows)
			for r := range rows {
				key := int64(r * 73 % max(others, 1) / 3)
				value := ir.Int(ir.I32, key)
				if x.Type.Kind == ir.F64 {
					value = ir.Float(ir.F64, float64(key%5))
				}
				in[i].Set(r, value)
			}
		}
		kerneltest.AgreeEmulated(t, lowered, p, fmt.Sprintf("%d other rows", others), in)
	}
}
