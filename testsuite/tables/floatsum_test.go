package tables_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/interp"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite/internal/emittedtest"
)

const floatSums = `pipeline float_sums(k: [n]i32, x: [n]f64) {
	g = runs(k)
	return total: sum(x), mean: avg(x), running: scan(add, x), group: sum(x, by: g)
}`

// TestFloatSums holds float sums to the bound of the language: within
// 2·eps·(depth+1)·Σ|x| of the exact value, with the depth that the plan reports.
func TestFloatSums(t *testing.T) {
	pipelines, errs := ir.Load("sums.kg", []byte(floatSums))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	p := pipelines[0]
	var build emittedtest.Build
	for _, level := range fuse.Levels {
		program, _, err := compile.Compile(p, compile.Options{Level: level})
		if err != nil {
			t.Fatal(err)
		}
		for _, port := range program.Plan.Ports {
			if port.Direction == plan.Out && port.Depth.String() != plan.Len("n").String() {
				t.Errorf("level %s: the plan reports depth %v of %s, want the rows of n", level, port.Depth, port.Name)
			}
		}
		build.Add(t, backends.Options{Package: level}, program)
	}
	device := build.Open(t)

	const rows = emittedtest.ChainRows
	r := rand.New(rand.NewPCG(1, 2))
	key, x := ir.NewColumn(ir.I32, rows), ir.NewColumn(ir.F64, rows)
	for i := range rows {
		key.Set(i, ir.Int(ir.I32, int64(i/5000)))
		x.Set(i, ir.Float(ir.F64, r.NormFloat64()*math.Exp(10*r.NormFloat64()))) // sums cancel
	}
	in := []ir.Column{key, x}
	want, err := interp.Run(p, in)
	if err != nil {
		t.Fatal(err)
	}
	magnitude := magnitudes(key, x)
	for _, level := range fuse.Levels {
		for _, workers := range []int{1, 3} {
			got, err := device.Run(p, level, workers, in)
			if err != nil {
				t.Fatal(err)
			}
			for i, result := range p.Results {
				for row := range want[i].Len() {
					w, g := want[i].At(row).Float64(), got[i].At(row).Float64()
					if bound := 2 * 0x1p-52 * (rows + 1) * magnitude[i][row]; math.Abs(w-g) > bound {
						t.Fatalf("level %s, %d workers: %s[%d] is %v, want %v within %v", level, workers, result.Label, row, g, w, bound)
					}
				}
			}
		}
	}
}

// magnitudes returns Σ|x| of what each result sums up.
func magnitudes(key, x ir.Column) [4][]float64 {
	var total float64
	var running, group []float64
	for i := range x.Len() {
		absolute := math.Abs(x.At(i).Float64())
		total += absolute
		running = append(running, total)
		if i == 0 || key.At(i) != key.At(i-1) {
			group = append(group, 0)
		}
		group[len(group)-1] += absolute
	}
	return [4][]float64{{total}, {total / float64(x.Len())}, running, group}
}
