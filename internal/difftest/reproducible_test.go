package difftest

import (
	"math"
	"testing"

	"github.com/kgen-go/kgen/ir"
)

// Reproducible sums of a device of work-groups have the bits of the interpreter's where the
// order, the scale or the last bits of plain ones would show.
func TestReproducibleSums(t *testing.T) {
	const text = `pipeline sums(k: [n]i32, x: [n]f64, y: [n]f32) {
	r = runs(k)
	b = bins(k & 3, 5)
	return reproducible whole: sum(x), mean: avg(y, else: 3), runs: sum(x, by: r), means: avg(x, by: r),
		bins: sum(y, by: b), empty: avg(x, by: b, else: 5), running: scan(add, x), before: exscan(add, x, by: r), single: scan(add, y, by: r)
}
`
	pipelines, errs := ir.Load("sums.kg", []byte(text))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	inf, half := math.Inf(1), 0x1p-53 // half is half of the last bit of 1
	var programs []Program
	for _, x := range [][]float64{
		{1e16, 1, -1e16, 1, 3, -0.1},
		{math.MaxFloat64, math.MaxFloat64, -math.MaxFloat64, -math.MaxFloat64, 1e-300},
		{math.MaxFloat64, math.MaxFloat64},
		{5e-324, 5e-324, -5e-324, 0x1p-1022, -0x1.8p-1060},
		{0x1p1000, 5e-324, -0x1p1000, 0x1p906, -0x1p905},
		{1, half, half * 0x1p-30}, {1, half}, {1 + 2*half, half}, {-1, -half, -0x1p-93},
		{-1, half, half / 2, 0x1p-94, 0x1p-95, 0x1p-96},
		{inf, 1}, {-inf, 1, -inf, 2}, {1, inf, -inf, 4}, {math.NaN(), 1}, {math.Copysign(0, -1), math.Copysign(0, -1)},
		{0x1.000001p24, 0x1p-30, 1, -0x1p-29, 0x1.8p24}, // an f32 is rounded once
		{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, -2.8, 1e30, -1e30, 1e-20, 7, 7, 7},
		{},
	} {
		for _, length := range []int32{1, 3, 100} { // of runs
			k, single := make([]int32, len(x)), make([]float32, len(x))
			for i := range x {
				k[i], single[i] = int32(i)/length, float32(x[i])
			}
			programs = append(programs, Program{Name: "sums", Pipeline: pipelines[0],
				Columns: []ir.Column{{Kind: ir.I32, Slice: k}, {Kind: ir.F64, Slice: x}, {Kind: ir.F32, Slice: single}}})
		}
	}
	report := Run(t.Context(), Options{Devices: []Device{Emulated{}}, Programs: programs, Levels: []string{"onepass"}, Inputs: []Input{{Own: true}}, Seed: 5})
	if report.Executions < len(programs) || report.CountMismatches() > 0 {
		t.Errorf("%d runs of %d programs; %+v", report.Executions, len(programs), report.Mismatches)
	}
}
