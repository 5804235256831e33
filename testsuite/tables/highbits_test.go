package tables_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/irtest"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
)

// TestGroupsByHighBits groups rows of very many groups that move in the order of the high bits of their keys, some of which may have most rows. Rows
// are sorted if a part has too many groups.
func TestGroupsByHighBits(t *testing.T) {
	const rows = 9000
	texts := map[string]string{
		"sums": "pipeline sums(k: [n]i32, x: [n]i32) {\n\tg = groups(k)\n\treturn key: first(k, by: g), total: sum(x, by: g), rows: count(by: g), mean: avg(x, by: g)\n}\n",
		"folds": "pipeline folds(k: [n]u32, x: [n]i32) {\n\ty = i8(x & 127) - 64\n\tg = groups(k)\n" +
			"\treturn least: min(y, by: g), greatest: max(y, by: g), total: sum(y, by: g), key: max(k, by: g), rows: count(by: g)\n}\n",
	}
	// Keys have few of all high bits, because a work-group takes long for a part with rows.
	mixed := func(key uint64) uint64 { return spread(key)%600*109<<16 | spread(key)>>40&0xffff }
	distributions := map[string]func(row uint64) uint64{
		"two rows a group": func(row uint64) uint64 { return mixed(row / 2) },
		"most of one group": func(row uint64) uint64 {
			if row%5 > 0 {
				return mixed(7)
			}
			return mixed(row)
		},
		"many rows of a part": func(row uint64) uint64 {
			if row%2 > 0 {
				return 5<<16 | row*7&0xffff
			}
			return mixed(row)
		},
		"two large parts": func(row uint64) uint64 { // in one block, next to each other
			if row%5 > 0 {
				return 5<<16 + row%2<<16 + row%2<<5 + spread(row)>>60
			}
			return mixed(row)
		},
		"many groups of a part": func(row uint64) uint64 { return row%400*163<<16 | spread(row)>>40&0xffff },
	}
	distributionsOf := map[string][][]string{ // per target
		"sums":  {{"two rows a group", "most of one group", "many rows of a part", "two large parts"}, {"many groups of a part", "most of one group", "many rows of a part"}},
		"folds": {{"two rows a group", "most of one group"}, nil},
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := irtest.Load(t, text)
			// The second has room for the folds of a few groups beside the bitmap.
			for i, target := range []simt.Target{{Atomics64: true}, {Atomics64: true, LaunchedLocal: 16<<10 + 256}} {
				program, _, err := compile.Compile(p, compile.Options{Level: fuse.LevelOnePass, Options: fuse.Options{Short: true, Bins: 16, Hash: 2, HashGroups: 4, Partitions: true, Sample: 8}})
				if err != nil {
					t.Fatal(err)
				}
				grouping := kerneltest.KernelWith(program.Kernels, (*tile.Op).GroupsParts)
				runs := kerneltest.KernelWith(program.Kernels, func(op *tile.Op) bool { return op.Kind == tile.Head })
				if grouping == "" || runs == "" {
					t.Fatal("no kernel groups the rows of parts, or none groups sorted rows")
				}
				lowered, err := target.Lower(program, plan.Schedule{Workgroup: 4, Items: 4, Scheme: simt.SchemePublished})
				if err != nil {
					t.Fatal(err)
				}
				for _, what := range distributionsOf[name][i] {
					isGrouped, isSorted := false, false
					run := kerneltest.Watching(lowered, uint64(i), func(name string) {
						isGrouped = isGrouped || strings.HasPrefix(name, grouping)
						isSorted = isSorted || strings.HasPrefix(name, runs)
					})
					in := groupsInput(p, rows, 1<<62, func(_ uint64, row int) []ir.Scalar {
						return []ir.Scalar{ir.Int(p.Params[0].Type.Kind, int64(distributions[what](uint64(row))))}
					})
					kerneltest.Agree(t, lowered.Plan, run, p, fmt.Sprintf("%s, target %d", what, i), in)
					if want := i > 0 && what == "many rows of a part"; !isGrouped || isSorted != want {
						t.Errorf("%s, target %d: parts are grouped: %t, rows are sorted: %t", what, i, isGrouped, isSorted)
					}
				}
			}
		})
	}
}

// TestPartsFitLocalMemory checks that a launch brings local memory if tables of parts and what else lies there would not fit arrays of fixed size.
func TestPartsFitLocalMemory(t *testing.T) {
	for returned, isBrought := range map[string]bool{
		"total: sum(x, by: g), rows: count(by: g)":                       false,
		"total: sum(x, by: g), rows: count(by: g), least: min(x, by: g)": true, // 48 KiB of tables alone
	} {
		p := irtest.Load(t, "pipeline sums(k: [n]i32, x: [n]i32) {\n\tg = groups(k)\n\treturn "+returned+"\n}\n")
		program, _, err := compile.Compile(p, compile.Options{Level: fuse.LevelOnePass, Options: fuse.Options{Short: true, Bins: 16, Hash: 2, HashGroups: 4, Partitions: true, Sample: 8}})
		if err != nil {
			t.Fatal(err)
		}
		lowered, err := simt.Target{Subgroup: simt.SubgroupOf(32), Atomics64: true, LaunchedLocal: 227 << 10}.Lower(program, plan.Schedule{})
		if err != nil {
			t.Fatal(err)
		}
		grouping := kerneltest.KernelWith(program.Kernels, (*tile.Op).GroupsParts)
		at := slices.IndexFunc(lowered.Plan.Kernels, func(k plan.Kernel) bool { return k.Name == grouping })
		if at < 0 {
			t.Fatal("no kernel groups the rows of parts")
		}
		if got := lowered.Plan.Kernels[at].Variants[0].LocalBytes.IsZero(); got == isBrought {
			t.Errorf("%s: the launch brings local memory: %t", returned, !got)
		}
	}
}
