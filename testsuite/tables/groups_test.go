package tables_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/backends/gocpu"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/internal/emittedtest"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
	"github.com/kgen-go/kgen/testsuite/sample"
)

// groupedRows are enough for several workers, and not a multiple of rows per group.
const groupedRows = 1<<16 + 1000

// TestGroupsByHash groups rows by keys of every width that lie far apart: no group, as few as
// a hash table takes, one more, so that rows are partitioned or sorted after all, as few as a table
// of partitioned rows takes, one more, and a group for each row.
func TestGroupsByHash(t *testing.T) {
	const (
		narrow, wide         = groupedRows / gocpu.Hash, groupedRows / (2 * gocpu.Hash) // most groups of a table of rows in any order,
		someNarrow, someWide = groupedRows / 8, groupedRows / 16                        // and of partitioned ones,
		few                  = 100                                                      // beyond this many
	)
	plain := compile.Options{Options: fuse.Options{Bins: -1, Hash: gocpu.Hash, Entered: true, Cores: true, HashGroups: gocpu.HashGroups}}
	parted := plain
	parted.HashGroups, parted.Partitions, parted.Sample = few, true, 1<<10
	sample.Log(t)
	takes := func(of int) func(int) bool { return func(i int) bool { return sample.TakesSetting(0, i+of, 2) } }
	t.Run("in any order", func(t *testing.T) {
		groupsByHash(t, plain, takes(0), []uint64{1, wide, wide + 1, narrow, narrow + 1, groupedRows})
	})
	t.Run("partitioned", func(t *testing.T) {
		groupsByHash(t, parted, takes(1), []uint64{few, 3 * few, someWide, someWide + 1, someNarrow, someNarrow + 1})
	})
}

// groupsByHash compares emitted Go with the interpreter, for several numbers of groups, by some types of keys.
func groupsByHash(t *testing.T, options compile.Options, takes func(int) bool, numbers []uint64) {
	keys := map[string]func(key uint64, row int) []ir.Scalar{
		"i32": func(key uint64, _ int) []ir.Scalar { return []ir.Scalar{ir.Int(ir.I32, int64(key*2654435761))} },
		"i64": func(key uint64, _ int) []ir.Scalar { return []ir.Scalar{ir.Int(ir.I64, int64(spread(key)))} },
		"u64": func(key uint64, _ int) []ir.Scalar { return []ir.Scalar{ir.Int(ir.U64, -1-int64(key)<<40)} },
		"f32": func(key uint64, row int) []ir.Scalar { return []ir.Scalar{floatKey(ir.F32, key, row)} },
		"f64": func(key uint64, row int) []ir.Scalar { return []ir.Scalar{floatKey(ir.F64, key, row)} },
		"char8": func(key uint64, _ int) []ir.Scalar {
			return []ir.Scalar{ir.Char8Scalar(fmt.Sprintf("%07x", key*0x9e3779b&0xfffffff))}
		},
		"f64 bool": func(key uint64, row int) []ir.Scalar {
			return []ir.Scalar{floatKey(ir.F64, key/2, row), ir.BoolScalar(key%2 == 1)}
		},
		"i64 char8 i32": func(key uint64, _ int) []ir.Scalar {
			return []ir.Scalar{ir.Int(ir.I64, int64(key%3)), ir.Char8Scalar(fmt.Sprint(key % 7)), ir.Int(ir.I32, int64(key))}
		},
	}
	for i, types := range slices.Sorted(maps.Keys(keys)) {
		if !takes(i) {
			delete(keys, types)
		}
	}
	groupsOfKeys(t, options, keys, numbers)
}

// groupsOfKeys is groupsByHash for some types of keys.
func groupsOfKeys(t *testing.T, options compile.Options, keys map[string]func(key uint64, row int) []ir.Scalar, numbers []uint64) {
	device, pipelines := groupsDevice(t, keys, options)
	for types, keysOf := range keys {
		t.Run(types, func(t *testing.T) {
			p := pipelines[types]
			for _, groups := range numbers {
				in := groupsInput(p, groupedRows, groups, keysOf)
				agreeGroups(t, device, p, fmt.Sprintf("%d groups", groups), in)
			}
			if types == "i32" && options.Bins < 0 {
				agreeGroups(t, device, p, "keys of one part", groupsInput(p, groupedRows, 300, keysOfPart(300)))
			}
			agreeGroups(t, device, p, "no rows", groupsInput(p, 0, 1, keysOf))
			agreeGroups(t, device, p, "a row", groupsInput(p, 1, 1, keysOf))
			agreeGroups(t, device, p, "few rows", groupsInput(p, 130, 2, keysOf))
		})
	}
}

// TestGroupsInWindows groups rows whose keys lie in a range that has a window for each part of the
// partitioned rows, in smaller and in larger ones, and in one that the sample does not tell.
func TestGroupsInWindows(t *testing.T) {
	const (
		few    = 100
		window = 16 // bins, of which rows that do not move have four times as many
		most   = window << 8
	)
	options := compile.Options{Options: fuse.Options{Bins: 4 * window, Hash: gocpu.Hash, Entered: true, Cores: true, HashGroups: few, Partitions: true, Sample: 1 << 10}}
	groupsOfKeys(t, options, map[string]func(key uint64, row int) []ir.Scalar{
		"i32": func(key uint64, _ int) []ir.Scalar { return []ir.Scalar{ir.Int(ir.I32, int64(key)-1000)} },
		"i64": func(key uint64, _ int) []ir.Scalar { return []ir.Scalar{ir.Int(ir.I64, math.MinInt64+int64(key))} },
		"u64": func(key uint64, _ int) []ir.Scalar { return []ir.Scalar{ir.Int(ir.U64, -1-int64(key))} },
		"i16 bool": func(key uint64, _ int) []ir.Scalar {
			return []ir.Scalar{ir.Int(ir.I16, int64(key/2)), ir.BoolScalar(key%2 == 1)}
		},
		"u32": func(key uint64, row int) []ir.Scalar {
			if row == 70_001 { // which the sample does not have
				return []ir.Scalar{ir.Int(ir.U32, most)}
			}
			return []ir.Scalar{ir.Int(ir.U32, int64(key))}
		},
	}, []uint64{1, 4 * window, 4*window + 1, few + 1, 2000, most, most + 1})
}

// keysOfPart returns so many keys of which the hash has equal high bits, as package fuse has it.
func keysOfPart(n int) func(key uint64, row int) []ir.Scalar {
	var keys []ir.Scalar
	for key := int32(0); len(keys) < n; key++ {
		x := (uint32(key) + 1<<31) * 0x9e3779b1
		if (x^x>>15)*0x85ebca77>>24 == 5 {
			keys = append(keys, ir.Int(ir.I32, int64(key)))
		}
	}
	return func(key uint64, _ int) []ir.Scalar { return keys[key : key+1] }
}

// spread maps small numbers to others that lie far apart.
func spread(key uint64) uint64 { return key * 0x9e3779b97f4a7c15 }

// floatKey returns a key of a group whose rows have different bits, if it is one of the first.
func floatKey(k ir.Kind, key uint64, row int) ir.Scalar {
	switch key {
	case 0:
		return ir.Float(k, math.Copysign(0, float64(row%2)-0.5))
	case 1:
		nan := ir.Float(k, math.NaN())
		nan.Bits ^= uint64(row % 2) // still a NaN
		return nan
	}
	return ir.Float(k, (float64(key)-500)*1.0e7)
}

// groupsDevice compiles a pipeline for each list of types.
func groupsDevice(t *testing.T, keys map[string]func(uint64, int) []ir.Scalar, options compile.Options) (device emittedtest.Emitted, pipelines map[string]*ir.Pipeline) {
	t.Helper()
	texts := map[string]string{}
	for types := range keys {
		texts[types] = groupsText(strings.Fields(types))
	}
	return emittedDevice(t, texts, options)
}

// emittedDevice compiles some pipelines at two levels.
func emittedDevice(t *testing.T, texts map[string]string, options compile.Options) (device emittedtest.Emitted, pipelines map[string]*ir.Pipeline) {
	t.Helper()
	var build emittedtest.Build
	pipelines = map[string]*ir.Pipeline{}
	for _, level := range []string{fuse.LevelNone, fuse.LevelOnePass} {
		var programs []*backends.Program
		for types, text := range texts {
			loaded, errs := ir.Load("groups.kg", []byte(text))
			if err := errs.Err(); err != nil {
				t.Fatal(err)
			}
			p := loaded[0]
			options.Level = level
			program, _, err := compile.Compile(p, options)
			if err != nil {
				t.Fatal(err)
			}
			programs, pipelines[types] = append(programs, program), p
		}
		build.Add(t, backends.Options{Package: level}, programs...)
	}
	return build.Open(t), pipelines
}

// sumsText returns a pipeline that combines rows by keys of some types, in so few bytes that there is room for copies.
func sumsText(types []string) string {
	var params, keys, firsts []string
	for i, k := range types {
		params = append(params, fmt.Sprintf("k%d: [n]%s", i, k))
		keys = append(keys, fmt.Sprintf("k%d", i))
		firsts = append(firsts, fmt.Sprintf("first%d: first(k%d, by: g)", i, i))
	}
	return fmt.Sprintf(`pipeline sums_%s(%s, x: [n]i32) {
	g = groups(%s)
	return %s, size: count(by: g), total: sum(x, by: g), least: min(x, by: g)
}
`, strings.Join(types, "_"), strings.Join(params, ", "), strings.Join(keys, ", "), strings.Join(firsts, ", "))
}

// groupsText returns a pipeline that groups by keys of some types.
func groupsText(types []string) string {
	var params, keys, firsts []string
	for i, k := range types {
		params = append(params, fmt.Sprintf("k%d: [n]%s", i, k))
		keys = append(keys, fmt.Sprintf("k%d", i))
		firsts = append(firsts, fmt.Sprintf("first%d: first(k%d, by: g), last%d: last(k%d, by: g)", i, i, i, i))
	}
	return fmt.Sprintf(`pipeline groups_%s(%s, x: [n]i32) {
	g = groups(%s)
	size = count(by: g)
	return %s, size, total: sum(x, by: g), least: min(x, by: g), begin: first(x, by: g), at: argmax(x, by: g), mean: avg(f64(x), by: g), of: size[g], g
}
`, strings.Join(types, "_"), strings.Join(params, ", "), strings.Join(keys, ", "), strings.Join(firsts, ", "))
}

// groupsInput returns rows of so many groups, all of which have rows if there are enough.
func groupsInput(p *ir.Pipeline, rows int, groups uint64, keysOf func(uint64, int) []ir.Scalar) []ir.Column {
	in := make([]ir.Column, len(p.Params))
	for i, x := range p.Params {
		in[i] = ir.NewColumn(x.Type.Kind, rows)
	}
	for r := range rows {
		key := spread(uint64(r)) >> 20 % groups
		if uint64(r) < groups {
			key = groups - 1 - uint64(r)
		}
		for i, k := range keysOf(key, r) {
			in[i].Set(r, k)
		}
		in[len(in)-1].Set(r, ir.Int(ir.I32, int64(spread(uint64(r))>>40)))
	}
	return in
}

func agreeGroups(t *testing.T, device emittedtest.Emitted, p *ir.Pipeline, what string, in []ir.Column) {
	t.Helper()
	want, err := testsuite.Expect(p, in)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for _, level := range []string{fuse.LevelNone, fuse.LevelOnePass} {
		for _, workers := range []int{1, 3} {
			got, err := device.Run(p, level, workers, in)
			if difference := want.Differ(got, err); difference != "" {
				t.Errorf("%s at level %s with %d workers: %s", what, level, workers, difference)
			}
		}
	}
}

// TestGroupsWithoutPlaces groups rows on work-groups by keys that would be remembered at the same places: of
// most there is none left, and their rows combine in global memory.
func TestGroupsWithoutPlaces(t *testing.T) {
	const rows, met = 600, 40
	// As package simt has them: keys are multiplied by placeFactor, here undone, and stepFactor; the first has 13 bits
	// for a place, or fewer, and the other 9 for a step.
	const inverse, stepFactor = 0x0e8b2f51, 0xc2b2ae3d
	var keys []int32
	for hash := uint32(0x1234 << 19); len(keys) < met; hash++ {
		if hash*stepFactor>>(32-9) == 77 {
			keys = append(keys, int32(hash*inverse))
		}
	}
	loaded, errs := ir.Load("groups.kg", []byte(groupsText([]string{"i32"})))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	p := loaded[0]
	options := compile.For(fuse.LevelOnePass, plan.Schedule{Groups: plan.Hash})
	options.Hash = 2
	program, _, err := compile.Compile(p, options)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		target simt.Target
		places string
	}{{simt.Target{Atomics64: true}, ""}, {simt.Target{Atomics64: true, LaunchedLocal: 227 << 10}, ""}, {simt.Target{Atomics64: true, LaunchedLocal: 227 << 10}, plan.Paired}} {
		target := c.target
		lowered, err := target.Lower(program, plan.Schedule{Workgroup: 8, Items: 4, Places: c.places})
		if err != nil {
			t.Fatal(err)
		}
		for _, groups := range []uint64{met, 9, 3} {
			in := groupsInput(p, rows, groups, func(key uint64, _ int) []ir.Scalar { return []ir.Scalar{ir.Int(ir.I32, int64(keys[key]))} })
			kerneltest.AgreeEmulated(t, lowered, p, fmt.Sprintf("%d keys of the same places, local memory of %d bytes, places=%s", groups, target.LaunchedLocal, c.places), in)
		}
	}
}

// TestGroupsLeftOut groups rows on work-groups by keys that meet: their slots are one, so
// that searches in the hash table are long, and the rows are sorted after all. Only a few
// keys meet in another input, which the table takes.
func TestGroupsLeftOut(t *testing.T) {
	const rows, met = 600, 100
	const free = 0x5bd1e995 // a key that work-groups have for none: freeKey of package simt
	// The slot of a key, as package fuse has it, in a table for half of the rows.
	slot := func(key int32) uint32 {
		x := (uint32(key) + 1<<31) * 0x9e3779b1
		return (x ^ x>>15) * 0x85ebca77 >> (32 - 11)
	}
	keys := []int32{free, ^free}
	for key := int32(0); len(keys) < met; key++ {
		if slot(key) == 5 {
			keys = append(keys, key)
		}
	}
	loaded, errs := ir.Load("groups.kg", []byte(groupsText([]string{"i32"})))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	p := loaded[0]
	for _, level := range []string{fuse.LevelNone, fuse.LevelAuto} {
		options := compile.For(level, plan.Schedule{Groups: plan.Hash})
		options.Hash = 2
		program, _, err := compile.Compile(p, options)
		if err != nil {
			t.Fatal(err)
		}
		for _, target := range []simt.Target{{}, {Atomics64: true}, {Atomics64: true, LaunchedLocal: 200 << 10}} {
			lowered, err := target.Lower(program, plan.Schedule{Workgroup: 8, Items: 4})
			if err != nil {
				t.Fatal(err)
			}
			for _, groups := range []uint64{met, 6, 2, 1} {
				in := groupsInput(p, rows, groups, func(key uint64, _ int) []ir.Scalar { return []ir.Scalar{ir.Int(ir.I32, int64(keys[key]))} })
				kerneltest.AgreeEmulated(t, lowered, p, fmt.Sprintf("level %s, %d keys of a slot, atomic operations of 64 bits: %v", level, groups, target.Atomics64), in)
			}
		}
	}
}
