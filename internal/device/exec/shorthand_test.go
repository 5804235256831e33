package exec_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kgen-go/kgen/plan"
)

var update = flag.Bool("update", false, "rewrite the plans in plan/testdata")

// Shorthand for plans written by hand.

func alloc(names ...string) []plan.Step {
	var steps []plan.Step
	for _, name := range names {
		steps = append(steps, plan.Step{Alloc: &plan.Alloc{Buffer: name}})
	}
	return steps
}

// fresh allocates and initialises.
func fresh(names ...string) []plan.Step {
	var steps []plan.Step
	for _, name := range names {
		steps = append(steps, plan.Step{Alloc: &plan.Alloc{Buffer: name}}, plan.Step{Init: &plan.Init{Buffer: name}})
	}
	return steps
}

func launch(kernel string, rows plan.Expr) plan.Step {
	return plan.Step{Launch: &plan.Launch{Kernel: kernel, Rows: rows}}
}

func read(buffer string, scalars ...string) plan.Step {
	return plan.Step{Read: &plan.Read{Buffer: buffer, Scalars: scalars}}
}

func set(scalar string, value plan.Expr) plan.Step {
	return plan.Step{Set: &plan.Set{Scalar: scalar, Value: value}}
}

var (
	check = plan.Step{CheckErrors: &plan.CheckErrors{}}
	ret   = plan.Step{Return: &plan.Return{}}
)

// program concatenates steps and lists of steps.
func program(parts ...any) []plan.Step {
	var steps []plan.Step
	for _, part := range parts {
		switch part := part.(type) {
		case plan.Step:
			steps = append(steps, part)
		case []plan.Step:
			steps = append(steps, part...)
		default:
			panic(part)
		}
	}
	return steps
}

// kernelOf is a kernel of one variant with tiles of the given rows.
func kernelOf(name string, tile int, args ...plan.Arg) plan.Kernel {
	return plan.Kernel{Name: name, Stages: []string{name}, Variants: []plan.Variant{
		{Schedule: plan.Schedule{Workgroup: tile}, Entry: name, Args: args},
	}}
}

func in(name string) plan.Arg    { return plan.Arg{Name: name, Buffer: name} }
func out(name string) plan.Arg   { return plan.Arg{Name: name, Buffer: name, Access: plan.Writes} }
func inout(name string) plan.Arg { return plan.Arg{Name: name, Buffer: name, Access: plan.ReadsWrites} }

func i64s(names ...string) []plan.Scalar {
	var scalars []plan.Scalar
	for _, name := range names {
		scalars = append(scalars, plan.Scalar{Name: name, Kind: plan.I64})
	}
	return scalars
}

// throughJSON holds p against its golden file, and returns what the file says.
func throughJSON(t *testing.T, name string, p *plan.Plan) *plan.Plan {
	t.Helper()
	text, err := plan.Encode(p)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("..", "..", "..", "plan", "testdata", name+".json")
	if *update {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(golden), string(text)); diff != "" {
		t.Fatalf("%s differs from the plan in the test; run with -update (-file +plan):\n%s", path, diff)
	}
	decoded, err := plan.Decode(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p, decoded, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%s: decoding does not give the plan back (-plan +decoded):\n%s", path, diff)
	}
	return decoded
}
