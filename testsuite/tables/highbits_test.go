package tables_test

import (
	"fmt"
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

// TestGroupsByHighBits groups rows of very many groups that move in the order of the high bits of their keys. Rows are sorted if a part has very many
// of them, if the sample has several rows of a key, and if keys lie near each other.
func TestGroupsByHighBits(t *testing.T) {
	const rows = 9000
	texts := map[string]string{
		"sums": "pipeline sums(k: [n]i32, x: [n]i32) {\n\tg = groups(k)\n\treturn key: first(k, by: g), total: sum(x, by: g), rows: count(by: g), mean: avg(x, by: g)\n}\n",
		"folds": "pipeline folds(k: [n]u32, x: [n]i32) {\n\ty = i8(x & 127) - 64\n\tg = groups(k)\n" +
			"\treturn least: min(y, by: g), greatest: max(y, by: g), total: sum(y, by: g), key: max(k, by: g), rows: count(by: g)\n}\n",
		"flags": "pipeline flags(k: [n]i32, x: [n]i32) {\n\tlow = x % 3 == 0\n\tg = groups(k)\n\treturn some: any(low, by: g), every: all(low, by: g), lows: count(low, by: g)\n}\n",
		"keys":  "pipeline keys(k: [n]i32, x: [n]i32) {\n\tg = groups(k)\n\treturn key: first(k, by: g), x\n}\n",
		"two":   "pipeline two(k: [n]i32, x: [n]i32) {\n\thigh = i16(k >> 16)\n\tlow = i16(k & 32767)\n\tg = groups(low, high)\n\treturn low: first(low, by: g), high: first(high, by: g), rows: count(by: g)\n}\n",
		"kept":  "pipeline kept(k: [n]i32, x: [n]i32) {\n\tkept = k[x % 50 != 0]\n\tg = groups(kept)\n\treturn key: first(kept, by: g), rows: count(by: g)\n}\n",
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
		"many of some parts": func(row uint64) uint64 { return mixed(row%10)&^0xffff | spread(row)%700 },
		"near each other":    func(row uint64) uint64 { return spread(row) % rows },
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := irtest.Load(t, text)
			for i, target := range []simt.Target{{Atomics64: true, LaunchedLocal: 18 << 10}, {}} { // folds of few groups lie in local memory at a time, or of some thousand
				program, _, err := compile.Compile(p, compile.Options{Level: fuse.LevelOnePass, Options: fuse.Options{Short: true, Bins: 16, Hash: 2, HashGroups: 4, Partitions: true, Sample: 8}})
				if err != nil {
					t.Fatal(err)
				}
				grouping := kerneltest.KernelWith(program.Kernels, (*tile.Op).GroupsParts)
				if grouping == "" {
					t.Fatal("no kernel groups the rows of parts")
				}
				lowered, err := target.Lower(program, plan.Schedule{Workgroup: 4, Items: 4, Scheme: []string{simt.SchemePublished, simt.SchemeLookback}[i]})
				if err != nil {
					t.Fatal(err)
				}
				for what, keyOf := range distributions {
					if (name != "sums" || i > 0) && what != "two rows a group" {
						continue
					}
					isGrouped := false
					run := kerneltest.Watching(lowered, uint64(i), func(name string) { isGrouped = isGrouped || strings.HasPrefix(name, grouping) })
					in := groupsInput(p, rows, 1<<62, func(_ uint64, row int) []ir.Scalar {
						return []ir.Scalar{ir.Int(p.Params[0].Type.Kind, int64(keyOf(uint64(row))))}
					})
					kerneltest.Agree(t, lowered.Plan, run, p, fmt.Sprintf("%s, target %d", what, i), in)
					if want := what == "two rows a group" || what == "many of some parts"; isGrouped != want {
						t.Errorf("%s: parts are grouped: %t", what, isGrouped)
					}
				}
			}
		})
	}
}
