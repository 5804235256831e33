package tables_test

import (
	"fmt"
	"testing"

	"github.com/kgen-go/kgen/backends/gocpu"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/ir"
)

// TestGroupsByParts groups rows part by part: by keys of several narrow types, with folds of elements that fit beside
// a key and of others, of a few groups in each part and of so many that the tables grow or parts are divided, of keys outside
// the range of the sample, and of keys that are all in one part, which are partitioned by a hash.
func TestGroupsByParts(t *testing.T) {
	const rows, sample = 9000, 1 << 6
	fold := func(name, kind, element string) string {
		return fmt.Sprintf(`pipeline parts_%s(k: [n]%s, x: [n]%s) {
	g = groups(k)
	return key: first(k, by: g), size: count(by: g), total: sum(x, by: g), least: min(x, by: g), greatest: max(x, by: g), some: count(x > 7, by: g), wide: sum(f64(x), by: g), mean: avg(x, by: g)
}
`, name, kind, element)
	}
	texts := map[string]string{
		"i32": fold("i32", "i32", "i32"), "u32": fold("u32", "u32", "i8"), "i16": fold("i16", "i16", "u16"),
		"i64": fold("i64", "i32", "i64"), "f32": fold("f32", "i32", "f32"),
		"alone":    "pipeline alone(k: [n]i32, x: [n]i32) {\n\tg = groups(k)\n\treturn key: max(k, by: g), total: sum(x, by: g)\n}\n",
		"keys":     "pipeline keys(k: [n]i32, x: [n]i32) {\n\tg = groups(k)\n\treturn key: first(k, by: g), x\n}\n",
		"filtered": "pipeline filtered(k: [n]i32, x: [n]i32) {\n\tm = x % 3 != 0\n\tg = groups(k[m])\n\treturn key: first(k[m], by: g), total: sum(i64(x[m]) * 3, by: g)\n}\n",
		"derived":  "pipeline derived(k: [n]i32, x: [n]i32) {\n\tg = groups(k / 3, x & 1)\n\treturn key: first(k / 3, by: g), odd: first(x & 1, by: g), total: sum(x, by: g)\n}\n",
		"mean":     "pipeline mean(k: [n]i32, x: [n]i32) {\n\tg = groups(k)\n\treturn key: first(k, by: g), mean: avg(x, by: g), at: argmax(x, by: g)\n}\n",
	}
	options := compile.Options{Options: fuse.Options{Bins: -1, Hash: gocpu.Hash, Entered: true, Cores: true, HashGroups: 8, Partitions: true, Sample: sample, Parted: 2}}
	device, pipelines := emittedDevice(t, texts, options)
	spreadKey := func(key uint64, _ int) uint64 { return key * 2654435761 }
	for name, p := range pipelines {
		t.Run(name, func(t *testing.T) {
			for _, c := range []struct {
				what   string
				rows   int
				groups uint64
				key    func(key uint64, row int) uint64
			}{
				{"some groups", rows, 300, spreadKey},
				{"a group for two rows", rows, rows / 2, spreadKey},
				{"a group for each row", rows, rows, spreadKey},
				{"a part for each group", rows, 40, spreadKey},
				{"keys that the sample has not", rows, 500, func(key uint64, row int) uint64 {
					if row%1000 == 500 {
						return uint64(row) << 30
					}
					return 1<<20 + key*5
				}},
				{"keys of one part", rows, 300, func(key uint64, row int) uint64 {
					if row%300 == 7 {
						return key << 22
					}
					return key * 3
				}},
				{"tables that grow", 60000, 30000, func(_ uint64, row int) uint64 { return uint64(row/2) * 2654435761 }},
				{"parts that are divided", 40000, 20000, spreadKey},
				{"parts whose first keys are near each other", 40000, 20000, func(key uint64, row int) uint64 {
					if row < 20000 {
						return key<<27>>4 + key>>5
					}
					return key * 2654435761
				}},
				{"most rows of one group", rows, 400, func(key uint64, row int) uint64 {
					if row%5 > 0 {
						key = 7
					}
					return key * 2654435761
				}},
				{"too few rows for a sample", sample<<6 - 1, 1000, spreadKey},
				{"a row", 1, 1, spreadKey},
				{"no rows", 0, 1, spreadKey},
			} {
				in := groupsInput(p, c.rows, c.groups, func(key uint64, row int) []ir.Scalar {
					return []ir.Scalar{ir.Int(p.Params[0].Type.Kind, int64(c.key(key, row)))}
				})
				agreeGroups(t, device, p, c.what, in)
			}
		})
	}
}

// TestFewRowsOfGroups has fewer rows than a table of near keys has places, of which some aggregates lie in
// memory that other ways of grouping share, and one does not.
func TestFewRowsOfGroups(t *testing.T) {
	const text = `pipeline few(k: [n]i16, yes: [n]bool, x: [n]i32) {
	g = groups(k, yes)
	return total: sum(x, by: g), first: first(k, by: g), best: argmax(x, by: g), size: count(by: g)
}
`
	options := compile.Options{Options: fuse.Options{Bins: 2, Hash: 2, Cores: true, Entered: true, HashGroups: 2, Partitions: true, Moved: 4, Parted: 2, Sample: 1, Radix: 4, RadixOfMany: 6}}
	device, pipelines := emittedDevice(t, map[string]string{"few": text}, options)
	p := pipelines["few"]
	for rows := range 9 {
		in := groupsInput(p, rows, 3, func(key uint64, row int) []ir.Scalar {
			return []ir.Scalar{ir.Int(ir.I16, int64(key)*3), ir.BoolScalar(row%2 == 0)}
		})
		agreeGroups(t, device, p, fmt.Sprint(rows, " rows"), in)
	}
}
