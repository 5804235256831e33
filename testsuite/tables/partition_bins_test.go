package tables_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
)

// TestGroupsByPartitionedBins groups rows whose keys lie in a range that is too large for the bins
// of a work-group, and in ranges for which other ways are there: few bins, few groups, and a range
// larger than all windows.
func TestGroupsByPartitionedBins(t *testing.T) {
	const rows = 2200
	const text = `pipeline dense(k0: [n]i32, x: [n]i32) {
	g = groups(k0)
	return key: first(k0, by: g), total: sum(x, by: g), rows: count(by: g), high: count(x > 4000000, by: g), least: min(x, by: g), begin: first(x, by: g), at: argmax(x, by: g)
}
pipeline numbered(k0: [n]i32, x: [n]i32) {
	g = groups(k0)
	return share: count(by: g)[g], mean: avg(x, by: g)
}
pipeline kept(k0: [n]i32, x: [n]i32) {
	key = k0[x != 7]
	g = groups(key)
	return key: first(key, by: g), rows: count(by: g)
}
`
	key := func(key uint64) []ir.Scalar { return []ir.Scalar{ir.Int(ir.I32, int64(key)-50)} }
	// 16 bins of a window and 256 parts make 4,096 bins.
	options := compile.Options{Level: fuse.LevelOnePass, Options: fuse.Options{Short: true, Radix: 4, Bins: 16, Hash: 2, HashGroups: 8, Partitions: true, Sample: 32}}
	target := simt.Target{Atomics64: true, LaunchedLocal: 200 << 10}
	distributions := map[string]func(row int) uint64{
		"uniform":  func(row int) uint64 { return spread(uint64(row)) },
		"sorted":   func(row int) uint64 { return uint64(row) * 1999 / rows },
		"outlying": func(row int) uint64 { return spread(uint64(row)) }, // but for one row
		"skewed": func(row int) uint64 {
			if spread(uint64(row))>>40&1 > 0 {
				return 1234
			}
			return spread(uint64(row))
		},
	}
	loaded, errs := ir.Load("dense.kg", []byte(text))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	for _, p := range loaded {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			program, _, err := compile.Compile(p, options)
			if err != nil {
				t.Fatal(err)
			}
			combining := kerneltest.KernelWith(program.Kernels, func(op *tile.Op) bool { return op.WindowBits == 4 })
			if combining == "" {
				t.Fatal("no kernel combines partitioned rows in bins")
			}
			for _, c := range []struct {
				rows, span uint64
				chunk      int // tiles of a work-group
				isCombined bool
			}{{0, 1, 8, false}, {300, 200, 8, true}, {rows, 16, 8, false}, {rows, 100, 8, true}, {rows, 1999, 8, true}, {rows, 2199, 64, true}, {rows, 3000, 8, false}} {
				for name, of := range distributions {
					if name != "uniform" && c.span != 1999 && (name != "outlying" || c.span != 16) {
						continue
					}
					lowered, err := target.Lower(program, plan.Schedule{Workgroup: 16, Items: 4, Scheme: simt.SchemePublished, Chunk: c.chunk})
					if err != nil {
						t.Fatal(err)
					}
					isCombined := false
					run := kerneltest.Watching(lowered, c.span, func(name string) { isCombined = isCombined || strings.HasPrefix(name, combining) })
					what := fmt.Sprintf("%d %s rows of %d keys", c.rows, name, c.span)
					isCombinedWith := c.isCombined || name == "outlying"
					in := groupsInput(p, int(c.rows), 1<<62, func(_ uint64, row int) []ir.Scalar {
						if name == "outlying" && row == 1001 { // which the sample does not have
							return key(2000)
						}
						return key(of(row) % c.span)
					})
					kerneltest.Agree(t, lowered.Plan, run, p, what, in)
					if isCombined != isCombinedWith {
						t.Errorf("%s: combined in windows: %t", what, isCombined)
					}
				}
			}
		})
	}
}
