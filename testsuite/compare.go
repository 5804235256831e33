package testsuite

import (
	"fmt"
	"math"
	"strings"

	"github.com/kgen-go/kgen/ir"
)

// Differ says where results differ, or returns "". All must be equal, NaN
// being one value, but for inexact floats (see [ir.Pipeline.Inexact]): these
// may differ by the rounding of a chain of depth operations, relative to the
// value. That is the bound of a product of numbers, and of a sum whose terms
// do not cancel; data for other sums must be exact, as [RandomData.Whole] is.
func Differ(p *ir.Pipeline, want, got []ir.Column, depth int) string {
	if len(want) != len(got) {
		return fmt.Sprintf("%d results, want %d", len(got), len(want))
	}
	for i, r := range p.Results {
		if want[i].Len() != got[i].Len() {
			return fmt.Sprintf("%s has %d rows, want %d", r.Label, got[i].Len(), want[i].Len())
		}
		for row := range want[i].Len() {
			w, g := want[i].At(row), got[i].At(row)
			if w == g || w.Kind.IsFloat() && closeTo(w, g, p.Inexact(r.Value), depth) {
				continue
			}
			return fmt.Sprintf("%s[%d] is %s, want %s", r.Label, row, elementText(g), elementText(w))
		}
	}
	return ""
}

// closeTo compares floats.
func closeTo(want, got ir.Scalar, inexact bool, depth int) bool {
	w, g := want.Float64(), got.Float64()
	if math.IsNaN(w) || math.IsNaN(g) {
		return math.IsNaN(w) && math.IsNaN(g)
	}
	if !inexact {
		return false // they differ in their bits
	}
	epsilon := 0x1p-52
	if want.Kind == ir.F32 {
		epsilon = 0x1p-23
	}
	return w == g || math.Abs(w-g) <= 2*epsilon*float64(depth+1)*math.Abs(w)
}

func elementText(s ir.Scalar) string {
	switch {
	case s.Kind.IsFloat():
		return fmt.Sprint(s.Float64())
	case s.Kind == ir.Char8:
		b := s.Bytes()
		return fmt.Sprintf("%q", strings.TrimRight(string(b[:]), "\x00"))
	case s.Kind == ir.U64:
		return fmt.Sprint(s.Bits)
	}
	return fmt.Sprint(s.Int64())
}
