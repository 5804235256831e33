package testsuite

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/backends/simt"
	"github.com/kgen-go/kgen/backends/simt/simttest"
	"github.com/kgen-go/kgen/compile"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/ir/interp"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/plan/exec"
	"github.com/kgen-go/kgen/table"
)

// TestWorkGroups runs the corpus, lowered for work-groups, on an emulated
// device of small groups, at every level.
func TestWorkGroups(t *testing.T) {
	entries, err := Load("corpus")
	if err != nil {
		t.Fatal(err)
	}
	for i, entry := range entries {
		t.Run(entry.Name, func(t *testing.T) {
			for j, level := range fuse.Levels {
				program, _, err := compile.Compile(entry.Pipeline, compile.Options{Level: level})
				var unsupported *fuse.Unsupported
				if errors.As(err, &unsupported) {
					t.Skip(err)
				}
				if err != nil {
					t.Fatal(err)
				}
				scheme := []string{simt.SchemeLookback, simt.SchemePublished}[(i+j)%2]
				lowered, err := simt.Lower(program, plan.Schedule{Workgroup: 8, Items: 4, Scheme: scheme})
				if err != nil {
					t.Errorf("%s: %v", level, err)
					continue
				}
				agreeEmulated(t, lowered, entry.Pipeline, level+", own data", entry.Columns)
				for seed := range 2 { // each pipeline and level meets others of the shapes
					shape := Shapes()[(i+2*j+seed)%len(Shapes())]
					for _, rows := range []int{0, 1, 31, 103} {
						data := RandomData{Rows: rows, Shape: shape, Seed: uint64(seed), Whole: true, Careless: seed%2 == 1}
						agreeEmulated(t, lowered, entry.Pipeline, fmt.Sprintf("%s, %+v", level, data), data.Columns(entry.Pipeline))
					}
				}
			}
		})
	}
}

func agreeEmulated(t *testing.T, program *simt.Program, p *ir.Pipeline, what string, in []ir.Column) {
	t.Helper()
	want, wantError := interp.Run(p, in)
	device := simttest.NewDevice(program.Kernels, rand.New(rand.NewPCG(1, 2)))
	inputs := exec.Inputs{Columns: map[string]exec.Column{}, Scalars: map[string]exec.Value{}}
	rows := 0
	for i, c := range in {
		port := program.Plan.Ports[i]
		switch {
		case c.Slice == nil:
		case port.Domain == "":
			inputs.Scalars[port.Name] = exec.Value{Kind: port.Kind, Bits: c.At(0).Bits}
		default:
			rows = max(rows, c.Len())
			inputs.Columns[port.Name] = exec.Column{Kind: port.Kind, Data: table.Bytes(c)}
		}
	}
	result, err := exec.Run(context.Background(), device, program.Plan, inputs, exec.Options{})
	var check *exec.CheckError
	var wantCheck *ir.CheckError
	switch {
	case errors.As(err, &check) && errors.As(wantError, &wantCheck):
		if check.Site.Number != wantCheck.Site.Number || check.Row != wantCheck.Row {
			t.Fatalf("%s: fails with %v, want %v", what, check, wantCheck)
		}
		return
	case err != nil || wantError != nil:
		t.Fatalf("%s: error %v, want %v", what, err, wantError)
	}
	var got []ir.Column
	for _, port := range program.Plan.Ports {
		if port.Direction != plan.Out {
			continue
		}
		kind, _ := ir.KindByName(string(port.Kind))
		if port.Domain != "" {
			got = append(got, table.FromBytes(kind, result.Columns[port.Name].Data))
			continue
		}
		got = append(got, ir.NewColumn(kind, 1))
		got[len(got)-1].Set(0, ir.Scalar{Kind: kind, Bits: result.Scalars[port.Name].Bits})
	}
	if difference := Differ(p, want, got, rows); difference != "" {
		t.Fatalf("%s: %s", what, difference)
	}
}
