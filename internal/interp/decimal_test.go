package interp

import (
	"math"
	"testing"

	"github.com/kgen-go/kgen/ir"
)

func TestCastDecimal(t *testing.T) {
	d := ir.DecimalOf
	float := func(k ir.Kind, f float64) uint64 { return ir.Float(k, f).Bits }
	whole := func(i int64) uint64 { return uint64(i) }
	for _, c := range []struct {
		from, to ir.Kind
		x, want  uint64
	}{
		// Fewer digits: the nearest, half away from 0.
		{d(3), d(2), whole(1244), whole(124)}, {d(3), d(2), whole(1245), whole(125)}, {d(3), d(2), whole(-1245), whole(-125)}, {d(3), d(2), whole(-1244), whole(-124)},
		{d(2), d(0), whole(49), 0}, {d(2), d(0), whole(50), 1}, {d(2), d(0), whole(-49), 0}, {d(2), d(0), whole(-50), whole(-1)},
		{d(18), d(0), whole(math.MaxInt64), 9}, {d(18), d(0), whole(math.MinInt64), whole(-9)}, {d(1), d(0), whole(math.MaxInt64), whole(922337203685477581)},
		// More digits wrap where an i64 does.
		{d(0), d(2), whole(-7), whole(-700)}, {d(2), d(2), whole(-7), whole(-7)}, {d(0), d(1), whole(math.MaxInt64), whole(-10)},
		// To integers: cut, then the low bits.
		{d(2), ir.I64, whole(199), 1}, {d(2), ir.I64, whole(-199), whole(-1)}, {d(2), ir.I8, whole(30000), 44}, {d(2), ir.U16, whole(-100), 65535}, {d(0), ir.I64, whole(5), 5},
		// From integers and bools.
		{ir.I32, d(2), whole(-5), whole(-500)}, {ir.U8, d(1), 255, 2550}, {ir.Bool, d(3), 1, 1000}, {ir.U64, d(1), math.MaxUint64, whole(-10)},
		// To floats.
		{d(2), ir.F64, whole(10), float(ir.F64, 0.1)}, {d(2), ir.F64, whole(-725), float(ir.F64, -7.25)}, {d(1), ir.F32, whole(1), float(ir.F32, 0.1)}, {d(0), ir.F64, whole(3), float(ir.F64, 3)},
		// From floats: half away from 0, the ends of what there is, 0 for NaN.
		{ir.F64, d(2), float(ir.F64, 0.125), 13}, {ir.F64, d(2), float(ir.F64, -0.125), whole(-13)}, {ir.F64, d(0), float(ir.F64, 0.49999999999999994), 0},
		{ir.F64, d(2), float(ir.F64, 1e300), whole(math.MaxInt64)}, {ir.F64, d(2), float(ir.F64, math.Inf(-1)), whole(math.MinInt64)}, {ir.F64, d(2), float(ir.F64, math.NaN()), 0},
		{ir.F32, d(1), float(ir.F32, 0.25), 3},
	} {
		if got := cast(c.from, c.to, c.x); got != c.want {
			t.Errorf("%v to %v: %#x becomes %d, want %d", c.from, c.to, c.x, int64(got), int64(c.want))
		}
	}
}
