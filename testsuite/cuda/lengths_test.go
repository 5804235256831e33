package cuda

import (
	"fmt"
	"testing"

	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
)

// TestCUDAEmulationLengths repeats rows whose lengths subgroups add up, 256 of them at a time: many short ones, so that a tile
// has more of them than subgroups; a long one, behind which the others end far from any that is stored; mostly 0, so that
// rows search; and none.
func TestCUDAEmulationLengths(t *testing.T) {
	entry, err := testsuite.LoadEntry("../corpus/run_length_decode.kg")
	if err != nil {
		t.Fatal(err)
	}
	e := emulator{newEmulator(t, checked)}
	for _, schedule := range []plan.Schedule{{}, {Workgroup: 64, Items: 4}} {
		made := kerneltest.Make(t, cuda.Emitter(), entry, fuse.LevelAuto, schedule)
		for what, length := range map[string]func(row int) int{
			"lengths of 1":  func(int) int { return 1 },
			"short lengths": func(row int) int { return row % 9 },
			"a long length": func(row int) int {
				if row == 2_999 {
					return 20_000
				}
				return row % 3
			},
			"about the longest short one": func(row int) int { // in any place of a word
				if row%21 == 20 {
					return 13 + row/21%5
				}
				return row % 2
			},
			"mostly 0":       func(row int) int { return row % 50 / 49 },
			"no repetitions": func(int) int { return 0 },
		} {
			const rows = 5_003
			value, times := ir.NewColumn(ir.I32, rows), ir.NewColumn(ir.I32, rows)
			for row := range rows {
				value.Set(row, ir.Int(ir.I32, int64(row)))
				times.Set(row, ir.Int(ir.I32, int64(length(row))))
			}
			kerneltest.Agree(t, made.Plan, e.Runner(made), entry.Pipeline, fmt.Sprintf("%s, %v", what, schedule), []ir.Column{value, times})
		}
	}
}

// TestCUDAEmulationPairsFromWords joins rows whose partners words tell, which subgroups add up: few for each left row, so that a tile has more words than
// subgroups; many for one; and hardly any, so that rows search.
func TestCUDAEmulationPairsFromWords(t *testing.T) {
	entry, err := testsuite.LoadEntry("../corpus/join_many_partners.kg")
	if err != nil {
		t.Fatal(err)
	}
	e := emulator{newEmulator(t, checked)}
	for _, schedule := range []plan.Schedule{{}, {Workgroup: 64, Items: 3}} {
		made := kerneltest.Make(t, cuda.Emitter(), entry, fuse.LevelAuto, schedule)
		for what, key := range map[string]func(row int) int{
			"few partners":  func(row int) int { return row / 4 },
			"many partners": func(row int) int { return max(row-60, 0) },
			"hardly any":    func(row int) int { return row / 2 * 400 },
		} {
			const left, right = 5_003, 200
			in := []ir.Column{ir.NewColumn(ir.I32, left), ir.NewColumn(ir.I32, right)}
			for row := range left {
				in[0].Set(row, ir.Int(ir.I32, int64(row*7%4_999)))
			}
			for row := range right {
				in[1].Set(row, ir.Int(ir.I32, int64(key(row))))
			}
			kerneltest.Agree(t, made.Plan, e.Runner(made), entry.Pipeline, fmt.Sprintf("%s, %v", what, schedule), in)
		}
	}
}
