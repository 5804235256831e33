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

// TestPartitionedBins combines rows by more bins than local memory has room for: in windows of
// partitioned rows, or in slices of such windows, if the rows are of many bins, else as they are.
func TestPartitionedBins(t *testing.T) {
	const rows = 2200
	const text = `pipeline counted(k: [n]i32, x: [n]i32) {
	b = bins(k, SIZE)
	return rows: count(by: b), large: count(x > 4000000, by: b)
}
pipeline alone(k: [n]i32, x: [n]i32) {
	return large: count(x > 4000000, by: bins(k, SIZE))
}
pipeline combined(k: [n]i32, x: [n]i32) {
	b = bins(k, SIZE)
	mean = avg(x, by: b, else: 0)
	return rows: count(by: b), total: sum(x, by: b), high: max(x, by: b, else: 7), begin: first(x, by: b, else: 1), end: last(x, by: b, else: 2), mean: mean, any: any(x > 4000000, by: b), share: count(by: b)[b]
}
pipeline kept(k: [n]i32, x: [n]i32) {
	key = k[x % 50 != 0]
	b = bins(key, SIZE)
	return total: sum(i64(key) * 3, by: b), rows: count(by: b)
}
pipeline sized(k: [n]i32, x: [n]i32) {
	size = i64(max(x, else: 0)) * 0 + SIZE
	b = bins(k, size)
	return total: sum(x, by: b), rows: count(by: b)
}
pipeline checked(k: [n]i32, x: [n]i32) {
	b = bins(k, SIZE)
	return total: sum(x, by: b), low: min(x, by: bins(k % 2, 2))
}
`
	// 64 bins of a window and 256 parts make 16,384 bins; of more, windows are larger.
	options := compile.Options{Options: fuse.Options{Short: true, Radix: 4, Bins: 64, Hash: 2, HashGroups: 8, Partitions: true, Sample: 32}}
	distributions := map[string]func(row, size uint64) uint64{
		"uniform":  func(row, size uint64) uint64 { return spread(row) % size },
		"sorted":   func(row, size uint64) uint64 { return row * size / rows },
		"constant": func(_, size uint64) uint64 { return size / 3 },
		"outside": func(row, size uint64) uint64 {
			if row == 1001 || row == 2003 {
				return size
			}
			return spread(row) % size
		},
		"sorted outside": func(row, size uint64) uint64 {
			if row == 1777 {
				return size + 5
			}
			return row * size / rows
		},
		"negative": func(row, size uint64) uint64 {
			if row == 2077 {
				return ^uint64(0)
			}
			return spread(row) % size
		},
	}
	for _, size := range []uint64{600, 3000, 130000} {
		loaded, errs := ir.Load("bins.kg", []byte(strings.ReplaceAll(text, "SIZE", fmt.Sprint(size))))
		if err := errs.Err(); err != nil {
			t.Fatal(err)
		}
		for _, p := range loaded {
			t.Run(fmt.Sprintf("%s_%d", p.Name, size), func(t *testing.T) {
				t.Parallel()
				for i, level := range []string{fuse.LevelOnePass, fuse.LevelAuto, fuse.LevelNone, fuse.LevelOnePass} {
					if i > 1 && size > 600 {
						continue
					}
					options := options
					options.Level = level
					program, _, err := compile.Compile(p, options)
					if err != nil {
						t.Fatal(err)
					}
					ways := map[string]string{} // what the kernels with windows combine, by their names
					for _, k := range program.Kernels {
						if k.Has(func(op *tile.Op) bool { return op.WindowBits > 0 }) {
							ways[k.Name] = "ordered"
							if name := k.Domains[0].Name; name == "sorted" || strings.HasSuffix(name, "_partitioned") { // those of a mask have no name
								ways[k.Name] = "partitioned"
							}
						}
					}
					if len(ways) != 2 {
						t.Fatalf("windows in kernels %v", ways)
					}
					target := simt.Target{Atomics64: i < 3, LaunchedLocal: []int64{200 << 10, 6000, 6000, 0}[i]} // the last is that of OpenCL C
					if size > 3000 {
						target.LaunchedLocal = max(target.LaunchedLocal, 12000) // digits of nine bits have twice as many counters
					}
					lowered, err := target.Lower(program, plan.Schedule{Workgroup: 16, Items: 4, Scheme: simt.SchemePublished, Chunk: 8})
					if err != nil {
						t.Fatal(err)
					}
					for name, of := range distributions {
						if (i > 0 || size > 3000) && name != "uniform" && name != "outside" {
							continue
						}
						way := ""
						run := kerneltest.Watching(lowered, size, func(name string) { way += ways[name] })
						for _, n := range []int{0, 300, rows} {
							if way = ""; n < rows && name != "uniform" {
								continue
							}
							in := groupsInput(p, n, 1<<62, func(_ uint64, row int) []ir.Scalar {
								return []ir.Scalar{ir.Int(ir.I32, int64(of(uint64(row), size)))}
							})
							kerneltest.Agree(t, lowered.Plan, run, p, fmt.Sprintf("%s: %d %s rows", level, n, name), in)
							want := map[string]string{"sorted": "ordered", "sorted outside": "ordered", "constant": ""}
							if _, ok := want[name]; !ok {
								want[name] = "partitioned"
							}
							if n < rows || p.Name == "sized" && size > 16384 {
								want[name] = ""
							}
							if way != want[name] {
								t.Errorf("%s: %d %s rows are %q, not %q", level, n, name, way, want[name])
							}
						}
					}
				}
			})
		}
	}
}

// TestWindowsOfSmallMemory asks for which bins rows are partitioned where local memory is small: for
// counts alone, and for very many.
func TestWindowsOfSmallMemory(t *testing.T) {
	for body, want := range map[string]bool{
		"rows: count(by: bins(k, 70000))":                          true,
		"rows: count(by: bins(k, 65536))":                          false,
		"total: sum(x, by: bins(k, 70000))":                        false,
		"total: sum(x, by: bins(k, 2097152))":                      false,
		"total: sum(x, by: bins(k, 2097153))":                      true,
		"rows: count(by: bins(k, i64(max(x, else: 0))))":           true,
		"total: sum(x, by: bins(k, i64(max(x, else: 0))))":         false,
		"key: first(k, by: groups(k)), rows: count(by: groups(k))": false,
	} {
		p := irtest.Load(t, "pipeline p(k: [n]i32, x: [n]i32) {\n\tuses = sum(i64(x))\n\treturn uses, "+body+"\n}\n")
		program, _, err := compile.Compile(p, compile.Options{Level: fuse.LevelOnePass, Options: fuse.Options{Short: true, Windows: true}})
		if err != nil {
			t.Fatal(err)
		}
		if has := kerneltest.KernelWith(program.Kernels, func(op *tile.Op) bool { return op.WindowBits > 0 }) != ""; has != want {
			t.Errorf("%s: windows: %t", body, has)
		}
	}
}

// TestSlicedCounts counts rows by twice as many bins as local memory has room for: each of two
// work-groups has a half of the bins.
func TestSlicedCounts(t *testing.T) {
	const text = `pipeline counted(k: [n]i32, x: [n]i32) {
	b = bins(k, 500)
	return rows: count(x > 4000000, by: b)
}
pipeline beside(k: [n]i32, x: [n]i32) {
	b = bins(k, 500)
	return large: count(x > 4000000, by: b), total: sum(x)
}
pipeline half(k: [n]i32, x: [n]i32) {
	b = bins(k, 511)
	return large: count(x > 4000000, by: b), odd: count(x % 2 != 0, by: b)
}
`
	loaded, errs := ir.Load("counts.kg", []byte(text))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	for i, p := range loaded {
		program, _, err := compile.Compile(p, compile.For(fuse.LevelOnePass, plan.Schedule{}))
		if err != nil {
			t.Fatal(err)
		}
		for _, chunk := range []int{1, 3} {
			target := simt.Target{Atomics64: true, LaunchedLocal: []int64{1 << 10, 1 << 10, 2 << 10}[i]}
			lowered, err := target.Lower(program, plan.Schedule{Workgroup: 16, Items: 4, Scheme: simt.SchemePublished, Chunk: chunk})
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(kerneltest.TextOf(lowered), "in_window") == (p.Name == "beside") {
				t.Fatalf("%s: tables have slices, or lack them", p.Name)
			}
			for _, rows := range []int{0, 1, 63, 64, 1000} {
				in := groupsInput(p, rows, 499, func(key uint64, _ int) []ir.Scalar { return []ir.Scalar{ir.Int(ir.I32, int64(key))} })
				run := kerneltest.Watching(lowered, uint64(rows), func(string) {})
				kerneltest.Agree(t, lowered.Plan, run, p, fmt.Sprintf("%d rows, chunks of %d", rows, chunk), in)
			}
		}
	}
}
