package tables_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
)

// TestEnteredWords makes tables of few rows whose slots are no keys, of which several have one key: of codes that fit words beside numbers of
// rows, just do not, and are numbers of rows; of narrow columns, and of whether there is a row.
func TestEnteredWords(t *testing.T) {
	pipelines, errs := ir.Load("entered.kg", []byte(`
pipeline column(a: [n]i32, b: [m]i32, x: [m]i32) {
	f = find(a, in: b)
	hit = f >= 0
	return s: sum(x[f[hit]]), misses: count(f < 0)
}
pipeline narrow(a: [n]i32, b: [m]i32, x: [m]i8) {
	f = find(a, in: b)
	return s: sum(x[f[f >= 0]])
}
pipeline known(a: [n]i32, b: [m]i32, x: [m]i32) {
	return n: count(find(a, in: b) >= 0), x: sum(x)
}
pipeline row(a: [n]i32, b: [m]i32, x: [m]i32) {
	return s: sum(find(a, in: b)), x: sum(x)
}
`))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	const rows, keys, buckets = 200, 130, 128 // numbers of rows have 8 bits
	var crowded []int64                       // many of which want the slots of two buckets, one of them the last
	for x := uint32(0); len(crowded) < 2*keys; x += 7919 {
		if at := narrowHash(x) / (1 << 32 / buckets); len(crowded)%3 == 0 || at == 5 || at == buckets-1 {
			crowded = append(crowded, int64(int32(x-1<<31)))
		}
	}
	for i, p := range pipelines {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			program, _, err := compile.Compile(p, compile.Options{Level: fuse.Levels[(i+3)%len(fuse.Levels)], Options: fuse.Options{Short: true, Radix: 4, Partitions: true, Moved: 1000}})
			if err != nil {
				t.Fatal(err)
			}
			var entering []string
			for _, k := range program.Kernels {
				if k.Has(func(op *tile.Op) bool { return op.Kind == tile.Enter && op.AnyOrder && !op.Direct }) {
					entering = append(entering, k.Name)
				}
			}
			isCoded := p.Name == "column" || p.Name == "narrow"
			if (len(entering) == 2) != isCoded || len(entering) == 0 {
				t.Fatalf("%q enter words", entering)
			}
			lowered, err := simt.Lower(program, plan.Schedule{Workgroup: 8})
			if err != nil {
				t.Fatal(err)
			}
			for j, span := range []int64{1000, 1<<24 - 2, 1<<24 - 1, math.MaxUint32} { // codes have a bit more from 2^24 - 1 on
				in := []ir.Column{ir.NewColumn(ir.I32, 3*rows), ir.NewColumn(ir.I32, rows), ir.NewColumn(p.Params[2].Type.Kind, rows)}
				for r := range 3 * rows {
					in[0].Set(r, ir.Int(ir.I32, crowded[r*r%(2*keys)]))
				}
				for r := range rows {
					in[1].Set(r, ir.Int(ir.I32, crowded[r*7%keys]))
					x := int64(math.MinInt32) + int64(r)*(span/rows)
					if r == rows-1 {
						x = math.MinInt32 + span
					}
					in[2].Set(r, ir.Int(in[2].Kind, x))
				}
				var ran []string
				run := kerneltest.Watching(lowered, uint64(j), func(name string) {
					if slices.Contains(entering, name) {
						ran = append(ran, name)
					}
				})
				kerneltest.Agree(t, lowered.Plan, run, p, fmt.Sprintf("values of span %d", span), in)
				want := entering[0]
				if p.Name == "column" && span >= 1<<24-1 {
					want = entering[1]
				}
				if !slices.Equal(ran, []string{want}) {
					t.Errorf("span %d: %q enter words, not %q", span, ran, want)
				}
			}
		})
	}
}
