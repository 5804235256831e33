package difftest

import (
	"fmt"
	"testing"

	"github.com/kgen-go/kgen/ir"
)

// Every aggregate of the table, for every kind that it takes, gives the
// interpreter's result on a device of work-groups: over all rows, runs, groups
// that begin anywhere, and bins, including empty ones.
func TestAggregateTable(t *testing.T) {
	var programs []Program
	for _, op := range ir.Aggregates() {
		a := op.Aggregate()
		text, none := "", ""
		for k := ir.Bool; k <= ir.Char8; k++ {
			if !a.Takes(k) {
				continue
			}
			if a.NoRows == ir.NoRowsElse {
				none = fmt.Sprintf(", else: e%v", k)
			}
			result := a.Result(k)
			text += fmt.Sprintf(`pipeline %[1]v_of_%[2]v(x: [n]%[2]v, k: [n]u8, m: [n]bool, e%[2]v: %[4]v) {
	r = runs(k)
	s = starts(m)
	b = bins(k & 7, 9)
	f = x[m]
	return whole: %[1]v(x%[3]v), runs: %[1]v(x, by: r), starts: %[1]v(x, by: s), bins: %[1]v(x, by: b%[3]v),
		filtered: %[1]v(f%[3]v), filtered_runs: %[1]v(f, by: runs(k[m])), other: select(k == 0, e%[2]v, e%[2]v)
}
`, op, k, none, result)
		}
		pipelines, errs := ir.Load("aggregates.kg", []byte(text))
		if err := errs.Err(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		for _, p := range pipelines {
			programs = append(programs, Program{Name: p.Name, Pipeline: p})
		}
	}
	report := Run(t.Context(), Options{Devices: []Device{Emulated{}}, Programs: programs, Levels: []string{"onepass"}, Inputs: []Input{{Rows: 0}, {Rows: 61}}, Seed: 5})
	if report.Executions < 2*len(programs) || report.CountMismatches() > 0 {
		t.Errorf("%d runs of %d programs; %+v", report.Executions, len(programs), report.Mismatches)
	}
}
