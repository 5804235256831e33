package testsuite

import (
	"math"

	"github.com/kgen-go/kgen/ir"
)

// likeness is how far float results may be from those of another device, in
// relation to their size, where the interpreter has not told the bound.
var likeness = map[ir.Kind]float64{ir.F32: 1e-4, ir.F64: 1e-9}

// ExpectLike expects the results that a device has given: for data of more rows than
// the interpreter can interpret in reasonable time. Values that a float sum
// contributes to may differ by a small part of themselves, all others by nothing.
func ExpectLike(p *ir.Pipeline, results []ir.Column) *Expectation {
	e := &Expectation{Pipeline: p, Results: results, near: make([]nearness, len(results))}
	for i, r := range p.Results {
		part, isFloat := likeness[r.Value.Type.Kind]
		switch {
		case !p.Inexact(r.Value):
		case !isFloat:
			e.near[i].how = loose
		default:
			bound := make([]float64, results[i].Len())
			for row := range bound {
				bound[row] = part * math.Abs(results[i].At(row).Float64())
			}
			e.near[i] = nearness{bounded, bound}
		}
	}
	return e
}
