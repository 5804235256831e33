package cuda

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
)

// TestCUDAEmulationShiftedBits looks keys up of which a table of bits tells whether they are there: those of all rows, and those of rows that
// the first ones keep; or the second test is of bits of a column, which rows have that the first one does not keep. Tiles are whole but for the last one.
func TestCUDAEmulationShiftedBits(t *testing.T) {
	for what, bought := range map[string]string{"keys": "\tbuyer = find(b[sold], in: l)\n\tbought = buyer >= 0", "bits": "\tbuyer = b[sold] & 63\n\tbought = ((u32(b[sold]) >> 2) & 1) != 0"} {
		t.Run(what, func(t *testing.T) { testShiftedBits(t, bought) })
	}
}

func testShiftedBits(t *testing.T, bought string) {
	t.Helper()
	p, errs := ir.Load("star.kg", []byte(`
pipeline star(a: [n]i32, b: [n]i32, c: [n]i32, x: [n]i32, k: [m]i32, v: [m]i32, l: [p]i32, w: [p]i32, d: [q]i32, y: [q]i32) {
	seller = find(a, in: k[v > 0])
	sold = seller >= 0
`+bought+`
	day = find(c[sold][bought], in: d)
	known = day >= 0
	place = y[day[known]] + w[buyer[bought][known]] + v[v > 0][seller[sold][bought][known]]
	return total: sum(x[sold][bought][known], by: bins(place & 7, 8)), keys: sum(l)
}
`))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	e := emulator{newEmulator(t, checked)}
	for _, schedule := range []plan.Schedule{{Workgroup: 64, Items: 4}, {Workgroup: 32, Items: 32}} {
		made := kerneltest.Make(t, cuda.Emitter(), testsuite.Entry{Pipeline: p[0]}, fuse.LevelAuto, schedule)
		for _, mask := range []string{"sold", "bought"} {
			if shifts := fmt.Sprintf("%[1]s_kept = (%[1]s_kept >> 1) |", mask); !strings.Contains(string(made.Files[0].Text), shifts) {
				t.Errorf("%+v: the bits of %s are not shifted", schedule, mask)
			}
		}
		for _, rows := range []int{300, 2_100} {
			var in []ir.Column
			for i, n := range []int{rows, rows, rows, rows, 60, 60, 70, 70, 50, 50} {
				c := ir.NewColumn(ir.I32, n)
				for row := range n {
					x := int64(row*37%101) - 50
					switch i {
					case 0, 1, 2: // some keys are below those of the table, some above
						x = int64((row*(5+2*i)+row/60)%90) - 9
					case 4, 6, 8:
						x = int64(row)
					}
					c.Set(row, ir.Int(ir.I32, x))
				}
				in = append(in, c)
			}
			kerneltest.Agree(t, made.Plan, e.Runner(made), p[0], fmt.Sprintf("%d rows, %+v", rows, schedule), in)
		}
	}
}
