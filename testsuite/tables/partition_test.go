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

// TestGroupsByPartition groups rows whose groups do not fit the tables of a work-group: as few
// as need no partition, as many as one is for, and more, so that rows are sorted.
func TestGroupsByPartition(t *testing.T) {
	const rows = 2200 // a work-group has enough to forget some
	const sums = "pipeline sums(k0: [n]i32, x: [n]i32) {\n\tg = groups(k0)\n\treturn key: first(k0, by: g), total: sum(x, by: g), rows: count(by: g)\n}\n"
	const filtered = "pipeline filtered(k0: [n]i32, x: [n]i32) {\n\tkept = k0[x != 7]\n\tg = groups(kept)\n\treturn key: first(kept, by: g), rows: count(by: g)\n}\n"
	keys := map[string]func(key uint64, row int) []ir.Scalar{
		"sums": func(key uint64, _ int) []ir.Scalar { return []ir.Scalar{ir.Int(ir.I32, int64(key*2654435761))} }, // their tables lie beside remembered keys
		"skewed": func(key uint64, row int) []ir.Scalar { // a sample cannot tell how many groups half of the rows are of
			return []ir.Scalar{ir.Int(ir.I32, int64(key*uint64(row%2)*2654435761))}
		},
		"f64": func(key uint64, row int) []ir.Scalar { return []ir.Scalar{floatKey(ir.F64, key, row)} },
		"i64 char8": func(key uint64, _ int) []ir.Scalar {
			return []ir.Scalar{ir.Int(ir.I64, int64(spread(key))), ir.Char8Scalar(fmt.Sprint(key % 7))}
		},
	}
	keys["filtered"] = keys["sums"] // how many rows there are is read before they move
	for types, keysOf := range keys {
		t.Run(types, func(t *testing.T) {
			t.Parallel()
			text := groupsText(strings.Fields(types))
			switch types {
			case "sums", "skewed":
				text = sums
			case "filtered":
				text = filtered
			}
			loaded, errs := ir.Load("groups.kg", []byte(text))
			if err := errs.Err(); err != nil {
				t.Fatal(err)
			}
			p := loaded[0]
			for _, c := range []struct {
				rows, groups uint64
				chunk        int // tiles of a work-group
				hash         int // a table has room for a group for each eighth of so many rows
				isEntered    bool
			}{{0, 1, 8, 2, false}, {300, 200, 8, 2, false}, {rows, 5, 8, 2, false}, {rows, 300, 8, 2, true}, {rows, 700, 64, 2, true}, {rows, 700, 8, 64, false}, {rows, 2000, 64, 2, false}, {rows, rows, 8, 2, false}} {
				if types != "sums" && c.groups != 300 && c.groups != rows {
					continue
				}
				// A sample of few rows always finds some groups beside its rows; 300 groups are too many for a table without a partition.
				program, _, err := compile.Compile(p, compile.Options{Level: fuse.LevelOnePass, Options: fuse.Options{Short: true, Radix: 4, Bins: 16, Hash: c.hash, HashGroups: 8, Partitions: true, Sample: 32}})
				if err != nil {
					t.Fatal(err)
				}
				entering := kerneltest.KernelWith(program.Kernels, func(op *tile.Op) bool { return op.PartBits > 0 })
				if entering == "" {
					t.Fatal("no kernel enters partitioned rows")
				}
				lowered, err := simt.Lower(program, plan.Schedule{Workgroup: 16, Items: 4, Scheme: simt.SchemePublished, Chunk: c.chunk})
				if err != nil {
					t.Fatal(err)
				}
				entered := false
				run := kerneltest.Watching(lowered, c.groups, func(name string) { entered = entered || strings.HasPrefix(name, entering) })
				what := fmt.Sprintf("%d rows, %d groups", c.rows, c.groups)
				kerneltest.Agree(t, lowered.Plan, run, p, what, groupsInput(p, int(c.rows), c.groups, keysOf))
				if entered != c.isEntered {
					t.Errorf("%s: a partition: %t", what, entered)
				}
			}
		})
	}
}
