package testsuite_test

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	run "github.com/kgen-go/kgen/internal/device/gocpu"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/internal/emittedtest"
)

// vectorKinds are the kinds that fill lanes.
var vectorKinds = []ir.Kind{ir.I32, ir.I64, ir.U32, ir.U64, ir.F32, ir.F64}

// vectorPipelines apply operators to columns x and y of kind k, in all ways in which
// functions of vectors use them: computed rows, selected rows and folds.
func vectorPipelines(k ir.Kind) (list []string) {
	add := func(result string) {
		var params []string
		for _, param := range []string{"x: [n]%v", "y: [n]%v", "z: %v"} {
			if regexp.MustCompile(`\b` + param[:1] + `\b`).MatchString(result) {
				params = append(params, fmt.Sprintf(param, k))
			}
		}
		list = append(list, fmt.Sprintf("pipeline p%d(%s) {\n\treturn %s\n}\n", len(list), strings.Join(params, ", "), result))
	}
	for _, operator := range []string{"+", "-", "*"} {
		add("r: x " + operator + " y")
	}
	for _, comparison := range []string{"==", "!=", "<", "<=", ">", ">="} {
		add("r: x[x " + comparison + " y]")
	}
	for _, to := range vectorKinds {
		add(fmt.Sprintf("r: %v(x)", to))
		add(fmt.Sprintf("r: %v(x < z)", to))
	}
	add("r: select(x < y, x, y), s: select(!(x < y) || y == z, z, x)")
	add("r: x[x < z], s: y[y >= z], t: sum(x[x < z && y > x])")
	add("r: y[x < y][y[x < y] > z], t: min(x[x < y], else: z), n: count(x < y)")
	add("r: max(x, else: z), s: min(y, else: z), t: sum(x), n: count(!(x < y))")
	add("r: x + y, s: x[x < y]")
	add("t: sum(y[x == z]), n: count(x == z)") // few rows
	add("any: any(x < y), all: all(x < y)")
	if k.IsFloat() {
		add("r: x / y")
		add("r: sqrt(x)")
		add("r: abs(x)")
		for _, one := range []string{"least(x, y)", "greatest(x, y)", "min(x, else: z)", "max(x, else: z)"} { // alone, as no other may keep it from lanes
			add("r: " + one)
		}
		return list
	}
	for _, operator := range []string{"&", "|", "^", "<<", ">>"} {
		add("r: x " + operator + " y")
	}
	add("r: least(x, y), s: greatest(x, y), t: ^x")
	add("r: product(x), s: sum(x * y)")
	if !k.IsUnsigned() {
		add("r: abs(x), s: -x")
	}
	return list
}

// vectorEdges are values at which arithmetic changes behaviour.
func vectorEdges(k ir.Kind) (list []ir.Scalar) {
	if k.IsFloat() {
		for _, x := range []float64{0, 1, 0.1, 2.5, 1 << 24, 1<<53 - 1, 1e30, 0x1p-149, math.MaxFloat32, math.Inf(1)} {
			list = append(list, ir.Float(k, x), ir.Float(k, -x))
		}
		return append(list, ir.Float(k, math.NaN()))
	}
	width := 8 * k.Size()
	for _, x := range []int64{0, 1, 2, 3, 100, -1, -2, 1<<(width-1) - 1, -1 << (width - 1), 1<<(width/2) - 1, 1 << 24, 1<<24 + 1, 1<<53 + 1} {
		list = append(list, ir.Int(k, x))
	}
	return list
}

// vectorColumns returns columns x and y and scalar z, those that p has, of edge values.
func vectorColumns(p *ir.Pipeline, k ir.Kind, rows int) (list []ir.Column) {
	edges := vectorEdges(k)
	x, y, z := ir.NewColumn(k, rows), ir.NewColumn(k, rows), ir.NewColumn(k, 1)
	for i := range rows {
		x.Set(i, edges[i%len(edges)])
		y.Set(i, edges[(i/len(edges)+i/7)%len(edges)])
	}
	z.Set(0, edges[2])
	for _, param := range p.Params {
		list = append(list, map[string]ir.Column{"x": x, "y": y, "z": z}[param.Name])
	}
	return list
}

// TestVectors compares emitted functions of vectors with the interpreter, at the edges
// of every kind and for rows that fill no vector, some, and all but a few rows.
func TestVectors(t *testing.T) {
	if !run.HasVectors() {
		t.Skip("there is no AVX-512")
	}
	var build emittedtest.Build
	var pipelines []*ir.Pipeline
	var kinds []ir.Kind
	for _, k := range vectorKinds {
		text := strings.Join(vectorPipelines(k), "\n")
		loaded, errs := ir.Load("vectors.kg", []byte(text))
		if err := errs.Err(); err != nil {
			t.Fatal(err)
		}
		var programs []*backends.Program
		for _, p := range loaded {
			program, _, err := compile.Compile(p, compile.Options{Level: fuse.LevelOnePass})
			if err != nil {
				t.Fatal(err)
			}
			programs = append(programs, program)
			pipelines, kinds = append(pipelines, p), append(kinds, k)
		}
		build.Add(t, backends.Options{Package: k.String(), SIMD: true}, programs...)
	}
	device := build.Open(t)
	for i, p := range pipelines {
		for _, rows := range []int{0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 1000, emittedtest.ChainRows} {
			if rows == emittedtest.ChainRows && kinds[i].Size() != 4 { // enough for several workers
				continue
			}
			in := vectorColumns(p, kinds[i], rows)
			want, err := testsuite.Expect(p, in)
			if err != nil {
				t.Errorf("%v: %v", p, err)
				continue
			}
			for _, workers := range []int{1, 3} {
				got, err := device.Run(p, kinds[i].String(), workers, in)
				if difference := want.Differ(got, err); difference != "" {
					t.Errorf("%v, %d rows, %d workers: %s", p, rows, workers, difference)
				}
			}
		}
	}
}
