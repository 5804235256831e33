package difftest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

func TestParseInputs(t *testing.T) {
	inputs, err := ParseInputs("own,0,30007,tile,tile+1,3tile-7")
	want := []Input{{Own: true}, {}, {Rows: 30007}, {Tiles: 1}, {Tiles: 1, Rows: 1}, {Tiles: 3, Rows: -7}}
	if err != nil || !slices.Equal(inputs, want) {
		t.Errorf("got %v, %v", inputs, err)
	}
	for _, in := range inputs {
		if again, err := ParseInputs(in.String()); err != nil || again[0] != in {
			t.Errorf("%s: got %v, %v", in, again, err)
		}
	}
	for _, text := range []string{"", "1,", "-1", "tile7", "-1tile", "xtile", "9999999999999999999", "2000000"} {
		if inputs, err := ParseInputs(text); err == nil {
			t.Errorf("%q: got %v", text, inputs)
		}
	}
}

// recorder is a device that agrees and notes how many rows it was given.
type recorder struct {
	fake
	rows *[]int
}

type recorded struct {
	Executable
	rows *[]int
}

func (r *recorder) Prepare(ctx context.Context, jobs []Job) []Prepared {
	ready := r.fake.Prepare(ctx, jobs)
	for i := range ready {
		ready[i].Executable = recorded{ready[i].Executable, r.rows}
	}
	return ready
}

func (r recorded) Run(ctx context.Context, in []ir.Column, choice uint64) (Outcome, error) {
	*r.rows = append(*r.rows, in[0].Len())
	return r.Executable.Run(ctx, in, choice)
}

func testProgram(t *testing.T) Program {
	t.Helper()
	pipelines, errs := ir.Load("p.kg", []byte("pipeline p(x: [n]i32) {\n\treturn sum: scan(add, x)\n}\n"))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	return Program{Name: "p.kg", Pipeline: pipelines[0]}
}

// Inputs that are asked for are run, and nothing else is.
func TestInputs(t *testing.T) {
	program := testProgram(t)
	program.Columns = []ir.Column{ir.NewColumn(ir.I32, 5)}
	var rows []int
	inputs, _ := ParseInputs("0,tile+1,own,2tile-3")
	report := Run(t.Context(), Options{Devices: []Device{&recorder{fake{name: "recorder"}, &rows}}, Programs: []Program{program}, Levels: []string{"none"},
		Inputs: inputs, Schedule: plan.Schedule{Workgroup: 4, Items: 3}})
	if !slices.Equal(rows, []int{0, 13, 5, 21}) || report.Executions != 4 || report.CountMismatches() > 0 {
		t.Errorf("rows %v, %+v", rows, report)
	}
}

// picky refuses some schedules.
type picky struct {
	fake
	refuses func(plan.Schedule) error
}

func (p *picky) Prepare(ctx context.Context, jobs []Job) []Prepared {
	ready := p.fake.Prepare(ctx, jobs)
	for i, job := range jobs {
		if ready[i].Err = p.refuses(job.Schedule); ready[i].Err != nil {
			ready[i].Executable = nil
		}
	}
	return ready
}

// A schedule that a program does not take is no difference where the program is
// taken without it; what is broken is one.
func TestRefusedSchedules(t *testing.T) {
	asked := plan.Schedule{Workgroup: 4, Scheme: "published", Chunk: 3}
	refusal := errors.New("pipeline p: chunk=3: kernel k_kernel1 (scan, p.kg:2: x) has none: choose another\nand another")
	cases := []struct {
		name       string
		refuses    func(plan.Schedule) error
		mismatches int
	}{
		{"this schedule", func(s plan.Schedule) error {
			if s.Chunk == 3 {
				return refusal
			}
			return nil
		}, 0},
		{"any schedule", func(plan.Schedule) error { return refusal }, 1},
		{"a bug", func(s plan.Schedule) error {
			if s.Chunk == 3 {
				return fmt.Errorf("internal error: %w", refusal)
			}
			return nil
		}, 1},
		{"a panic", func(s plan.Schedule) error {
			if s.Chunk == 3 {
				return &FaultError{FaultCrash, refusal}
			}
			return nil
		}, 1},
	}
	for _, c := range cases {
		report := Run(t.Context(), Options{Devices: []Device{&picky{fake{name: "picky"}, c.refuses}}, Programs: []Program{testProgram(t)}, Levels: []string{"none"},
			Runs: 1, Schedule: asked})
		if report.CountMismatches() != c.mismatches {
			t.Errorf("%s: %+v", c.name, report.Mismatches)
		}
		told := report.Cells[0].Absent["no such schedule for a program: chunk=3: kernel has none: choose another"]
		if (told == 1) != (c.mismatches == 0) {
			t.Errorf("%s: %v", c.name, report.Cells[0].Absent)
		}
	}
}
