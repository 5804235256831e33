package difftest

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/interp"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/testsuite/sample"
)

// planted is a device that interprets other operators than the program has.
type planted struct {
	fake
	change func(v *ir.Value) bool // makes v wrong, or leaves it as it is
}

func (d *planted) Prepare(_ context.Context, jobs []Job) []Prepared {
	ready := make([]Prepared, len(jobs))
	for i, job := range jobs {
		ready[i] = Prepared{&plantedProgram{faked{&d.fake, job}, d.change}, nil}
	}
	return ready
}

type plantedProgram struct {
	faked
	change func(v *ir.Value) bool
}

// Run changes values for the time of a run: nobody else looks at the pipeline
// meanwhile.
func (p *plantedProgram) Run(_ context.Context, in []ir.Column, _ uint64) (Outcome, error) {
	for _, v := range p.job.Program.Pipeline.Values {
		before := *v
		if p.change(v) {
			defer func() { *v = before }()
		}
	}
	results, err := interp.Run(p.job.Program.Pipeline, in, interp.RowLimit(rowLimit))
	return Outcome{Results: results}, err
}

// Planted bugs are made small: at most five statements and five rows. go test ./...
// plants a third of them.
func TestShrinks(t *testing.T) {
	swap := func(from, to ir.Op) func(*ir.Value) bool {
		return func(v *ir.Value) bool {
			if v.Op == from {
				v.Op = to
			}
			return v.Op == to
		}
	}
	bugs := map[string]func(*ir.Value) bool{
		"inclusive for exclusive": swap(ir.OpExscan, ir.OpScan),
		"min is max":              swap(ir.OpMin, ir.OpMax),
		"last is first":           swap(ir.OpLast, ir.OpFirst),
		"next is prev":            swap(ir.OpNext, ir.OpPrev),
		"sums are differences":    swap(ir.OpAdd, ir.OpSub),
		"least is greatest":       swap(ir.OpLeast, ir.OpGreatest),
		"or is and":               swap(ir.OpLogicalOr, ir.OpLogicalAnd),
		"less is less or equal":   swap(ir.OpLt, ir.OpLe),
		"a neighbour too far": func(v *ir.Value) bool {
			if v.Op != ir.OpPrev || v.Shift == 0 {
				return false
			}
			v.Shift++
			return true
		},
		"select swaps": func(v *ir.Value) bool {
			if v.Op != ir.OpSelect {
				return false
			}
			v.Args = []*ir.Value{v.Args[0], v.Args[2], v.Args[1]}
			return true
		},
		"count ignores its mask": func(v *ir.Value) bool {
			if v.Op != ir.OpCount || len(v.Args) == 0 || v.By == nil {
				return false
			}
			v.Args = nil
			return true
		},
		"the scan of groups goes on": func(v *ir.Value) bool {
			if v.Op != ir.OpScan || v.By == nil || v.Args[0].Type.IsScalar() {
				return false
			}
			v.By = nil
			return true
		},
	}
	sample.Log(t)
	for i, name := range slices.Sorted(maps.Keys(bugs)) {
		if i%3 != 0 && !sample.Everything() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			device := &planted{fake{name: "planted"}, bugs[name]}
			options := Options{Devices: []Device{device}, Random: 400, Seed: 5, Levels: []string{"none"}, First: true, Keep: t.TempDir()}
			report := Run(t.Context(), options)
			if len(report.Mismatches) == 0 {
				t.Fatal("it is not found")
			}
			kept := report.Mismatches[0].Kept
			if kept == "" {
				t.Fatalf("it is not kept: %+v", report.Mismatches[0])
			}
			r, err := LoadReplay(kept)
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(kept)
			if err != nil {
				t.Fatal(err)
			}
			rows := 0
			for _, c := range r.Columns {
				rows = max(rows, c.Len())
			}
			_, body, _ := strings.Cut(string(text), "\n") // a parameter has a default, perhaps
			if statements := strings.Count(body, " = "); statements > 5 || rows > 5 {
				t.Errorf("%d statements, %d rows:\n%s", statements, rows, text)
			}
			again := Run(t.Context(), Options{Devices: []Device{device}, Runs: 1,
				Programs: []Program{{Name: kept, Pipeline: r.Pipeline, Columns: r.Columns, Where: &r.Circumstances}}})
			if again.CountMismatches() != 1 {
				t.Errorf("what was kept does not show it: %+v", again)
			}
			good := Run(t.Context(), Options{Devices: []Device{&fake{name: "planted"}}, Runs: 1,
				Programs: []Program{{Name: kept, Pipeline: r.Pipeline, Columns: r.Columns, Where: &r.Circumstances}}})
			if good.CountMismatches() != 0 || good.Executions != 1 {
				t.Errorf("a device without the bug differs, too: %+v", good)
			}
		})
	}
}

// A corrupt replay is an error with its line.
func TestCorruptReplay(t *testing.T) {
	const program, data, where = "pipeline p(x: [n]i32) {\n\treturn y: x + 1\n}\n", "x\n1\n", "{\n\t\"device\": \"gocpu\",\n\t\"level\": \"none\"\n}\n"
	for _, c := range []struct{ name, program, data, where, said string }{
		{"whole", program, data, where, ""},
		{"program", "pipeline p(x: [n]i32) {\n\treturn y: z\n}\n", data, where, "r.kg:2:"},
		{"data", program, "x\n1\nzwei\n", where, "r.csv:3"},
		{"no data", program, "", where, "r.csv"},
		{"syntax", program, data, "{\n\t\"device\": \"gocpu\",\n\t\"level\"\n}\n", "r.json:4:"},
		{"a number", program, data, "{\n\t\"device\": \"gocpu\",\n\t\"level\": 7\n}\n", "r.json:3:"},
		{"an unknown field", program, data, "{\n\t\"devise\": \"gocpu\"\n}\n", "r.json:2:"},
		{"nothing", program, data, "", "r.json:1: the text ends early"},
		{"no level", program, data, "{\"device\": \"gocpu\"}", "r.json:1: a device and a level are missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			base := filepath.Join(t.TempDir(), "r")
			for extension, text := range map[string]string{".kg": c.program, ".csv": c.data, ".json": c.where} {
				if err := os.WriteFile(base+extension, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, err := LoadReplay(base + ".kg")
			if c.said == "" && err != nil || c.said != "" && (err == nil || !strings.Contains(err.Error(), c.said)) {
				t.Errorf("error %v, want one with %q", err, c.said)
			}
		})
	}
}
