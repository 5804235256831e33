package exec_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/plan"
)

// What a runner keeps from run to run does not show: one that fell back, failed or had other
// columns leaves nothing behind.
func TestRunnerAgain(t *testing.T) {
	runner := exec.NewRunner(groupsPlan())
	bad := randomGroups(500, 60)
	bad.b[77] = 0
	for i, test := range []struct {
		data  groupData
		level string
	}{
		{randomGroups(500, 60), "hash"},
		{randomGroups(3000, 100_000), "large"},
		{randomGroups(0, 1), "hash"},
		{bad, ""},
		{randomGroups(3000, 256), "hash"},
		{randomGroups(100, 3), "hash"},
	} {
		device := newFake(groupsKernels)
		result, err := runner.Run(context.Background(), device, test.data.inputs(), exec.Options{})
		device.verify(t)
		if test.level == "" {
			var failed *exec.CheckError
			if !errors.As(err, &failed) || failed.Row != 77 {
				t.Errorf("run %d: %v", i, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("run %d: %v", i, err)
		}
		if diff := cmp.Diff(test.data.want(), groupsResult(t, result)); diff != "" || result.Level != test.level {
			t.Errorf("run %d by %q (-want +got):\n%s", i, result.Level, diff)
		}
	}
}

// Scalars begin each run with their first values.
func TestRunnerScalars(t *testing.T) {
	runner := exec.NewRunner(&plan.Plan{
		Version: plan.Version, Pipeline: "p",
		Ports:   []plan.Port{{Name: "x", Direction: plan.Out, Kind: plan.I64, Scalar: "x"}},
		Scalars: []plan.Scalar{{Name: "x", Kind: plan.I64, Init: "5"}},
		Steps:   program(set("x", plan.Add(plan.Var("x"), plan.Const(1))), ret),
	})
	for range 2 {
		result, err := runner.Run(context.Background(), newFake(nil), exec.Inputs{}, exec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := result.Scalars["x"].Bits; got != 6 {
			t.Errorf("x is %d", got)
		}
	}
}

// idle is a device that does nothing, in no time.
type idle struct{ *fake }

func (idle) Import([]byte) (exec.Memory, error)         { return nil, nil }
func (idle) Alloc(int64) (exec.Memory, error)           { return nil, nil }
func (idle) Free(exec.Memory)                           {}
func (idle) Fill(exec.Memory, []byte, int64) error      { return nil }
func (idle) Read(exec.Memory, int64, []byte) error      { return nil }
func (idle) Launch(context.Context, *exec.Launch) error { return nil }
func (idle) Sync() error                                { return nil }
func (idle) Gather([]exec.Read) error                   { return nil }

// BenchmarkRunner is what the executor itself takes.
func BenchmarkRunner(b *testing.B) {
	runner, d := exec.NewRunner(joinPlan()), idle{newFake(nil)}
	in := exec.Inputs{Columns: map[string]exec.Column{
		"k": {Kind: plan.I32, Resident: &exec.Resident{Bytes: 400}}, "k2": {Kind: plan.I32, Resident: &exec.Resident{Bytes: 80}}}}
	options := exec.Options{Valid: true, Keep: func(string) bool { return true }}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := runner.Run(context.Background(), d, in, options); err != nil {
			b.Fatal(err)
		}
	}
}
