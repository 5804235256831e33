package vector_test

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/vector"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/testsuite"
)

// TestLoopsOfSeveralOperations compares loops that do the work of several operations with the
// interpreter: conditions in turn, comparisons of columns, checks, chains of additions, words of parts, sums of narrow integers and of bits, floats
// in order, products, repeated rows, and extremes of short segments; in batches that end anywhere.
func TestLoopsOfSeveralOperations(t *testing.T) {
	const rows = 203
	x, k, u, f, w := make([]int64, rows), make([]int32, rows), make([]uint8, rows), make([]float64, rows), make([]uint64, rows)
	floats := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1, math.MaxFloat64, -math.SmallestNonzeroFloat64}
	for i := range rows {
		x[i], k[i], u[i], f[i] = int64(i*i%17)-8, math.MaxInt32-int32(i%5)*1_000_000_007, uint8(i*37), floats[(i*7+i/9)%len(floats)]
		w[i] = uint64(i) * 0x9e3779b97f4a7c15
	}
	for _, on := range []bool{false, true} {
		all := []struct {
			name, declared string
			kind           ir.Kind
			rows           any
		}{{"x", "[n]i64", ir.I64, x}, {"k", "[n]i32", ir.I32, k}, {"u", "[n]u8", ir.U8, u}, {"f", "[n]f64", ir.F64, f}, {"w", "[n]u64", ir.U64, w},
			{"on", "bool", ir.Bool, []bool{on}}, {"c", "i32", ir.I32, []int32{math.MaxInt32}}, {"size", "i64", ir.I64, []int64{40}}}
		for _, results := range []string{
			"a: x[on && x > 3]",
			"a: x[on && x > 3 && !(x > 5)], b: k[!(x <= 3) && u < 9]",
			"a: f[!(f > 1.0) && (f < 0.5 || x * 3 > i64(u))], n: count(!(f > 1.0))",
			"a: x[on && prev(x, 1, 0) < x], b: u[x > 0 && prev(k, 1, 0) < k]",
			"a: x[x > 3 || on], b: u[on || !(f > 1.0) && (f < 0.5 || x * 3 > i64(u))]",
			"a: f[prev(x, 1, 0) < x && u > 9 || on], n: count(x > 3 && u > 9 || on), d: k[(size > 40 || x > 3) && u > 9]",
			"a: x[on && x > -99], n: count(x > 2), b: x[x > 2], none: count(on && x > 2)",
			"a: i64(k + c), b: i64(k - c), d: i64(u + 3), e: x + 5 - size + 1",
			"a: sum(i64(k)), b: sum(i64(u)), d: sum(i64(u)[x > 1]), e: sum(u64(u))",
			"a: w >> 3 & 255 | w << 60 >> 2, b: (w & 4095) << u64(size) >> 7 | w >> 63, d: w << 1 >> 1",
			"a: w << 60 | w >> 60 | (w & 240) << 8 | w >> 20 & 4080 | (w >> 40 & 15) << 24 | w >> 50 << 30",
			"a: all(x > -99), b: all(u < 200), d: any(x > 7), e: any(u > 254), g: all(x < 5, by: bins(u & 7, 8))",
			"a: order(f), b: order(f32(f)), d: order(x, f), e: order(x * 1048576)",
			"a: sum(x >> 3), b: sum(x & 5), d: scan(add, x), e: sum(x)",
			"a: exscan(add, x), b: sum(x), d: sum(x[on && u > 9]), e: scan(add, x[on && u > 9])",
			"a: i64(k) * i64(k ^ c), b: sum(i64(k) * i64(k ^ c)), d: x + index(x), e: index(x) + index(x)",
			"a: x[repeat(u & 7)], b: u[repeat(u & 7)], d: f[repeat(x & 1)], e: x[repeat(align(size, to: x))], g: repeat(u & 7)",
			"a: min(x, by: runs(u >> 5)), b: max(k, by: runs(u >> 5)), d: min(f, by: runs(u >> 5)), e: max(f, by: runs(u >> 5))",
			"a: min(x, by: runs(x)), b: count(by: runs(x)), d: sum(k, by: runs(x)), e: first(u, by: runs(x)), g: max(k, by: runs(x))",
			"a: min(x, by: bins(u & 15, 16)), b: max(x, by: bins(u & 15, 16)), d: max(u, by: bins(u & 15, 16))",
			"a: argmin(k)",
			"a: min(x, by: runs(index(x) >> 3)), b: max(f, by: runs(index(x) >> 3)), d: max(x, by: runs(index(x) / 7)), e: min(f, by: runs(index(x) / 7))",
			"a: x[x < i64(u & 15)], b: x[x <= i64(u & 15)], d: x[x == i64(u & 15)], e: x[x != i64(u & 15)], g: x[x > i64(u & 15)], h: x[!(x >= i64(u & 15))]",
			"a: f[f < f64(x)], b: f[!(f >= f64(x))], d: k[on && x < i64(u & 15) && u > 9]",
			"a: index(count(by: runs(x))), b: sum(k, by: runs(x))",
			"a: count(by: bins(x + 8, 16))",
			"a: count(by: bins(x + 8, 17)), b: sum(k, by: bins(x + 8, size))",
			"a: count(by: bins(x + 7, size))",
			"a: argmin(x), b: argmax(f), d: argmin(k), e: argmin(x, by: bins(u & 7, 8))",
		} {
			var parameters []string
			var in []ir.Column
			for _, c := range all {
				if regexp.MustCompile(`\b` + c.name + `\b`).MatchString(results) {
					parameters, in = append(parameters, c.name+": "+c.declared), append(in, ir.Column{Kind: c.kind, Slice: c.rows})
				}
			}
			text := "pipeline p(" + strings.Join(parameters, ", ") + ") {\n\treturn " + results + "\n}\n"
			for _, level := range []string{"none", fuse.LevelAuto} {
				program, host, p := compiled(t, text, level)
				want, err := testsuite.Expect(p, in)
				if err != nil {
					t.Fatal(text, err)
				}
				for _, batch := range []int{1, 13, 64, 1024} {
					got, err := run(program, host, p, in, vector.Options{Batch: batch})
					if difference := want.Differ(got, err); difference != "" {
						t.Errorf("%sat level %s in batches of %d: %s", text, level, batch, difference)
					}
				}
			}
		}
	}
}
