package testsuite

import (
	"testing"

	"github.com/kgen-go/kgen/ir"
)

// Results of another device may differ where a float sum contributes, and there by
// little.
func TestExpectLike(t *testing.T) {
	pipelines, errs := ir.Load("p.kg", []byte("pipeline p(x: [n]f64, k: [n]i64) { return s: sum(x), k, y: x }\n"))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	results := func(s float64, k int64, y float64) []ir.Column {
		list := []ir.Column{ir.NewColumn(ir.F64, 1), ir.NewColumn(ir.I64, 1), ir.NewColumn(ir.F64, 1)}
		list[0].Set(0, ir.Float(ir.F64, s))
		list[1].Set(0, ir.Int(ir.I64, k))
		list[2].Set(0, ir.Float(ir.F64, y))
		return list
	}
	e := ExpectLike(pipelines[0], results(1000, 7, 2))
	if d := e.Differ(results(1000*(1+1e-12), 7, 2), nil); d != "" {
		t.Error(d)
	}
	for _, wrong := range [][]ir.Column{results(1000.001, 7, 2), results(1000, 8, 2), results(1000, 7, 2*(1+1e-12))} {
		if e.Differ(wrong, nil) == "" {
			t.Errorf("%v does not differ", wrong)
		}
	}
}
