//go:build linux

package main

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	planexec "github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/plan"
)

// The command hanging-worker is a worker with one device, whose kernels do not
// end. The device has the capabilities that its environment names, and is probed
// for as long as that says.
const (
	capsVariable  = "KGEN_TEST_CAPS"
	probeVariable = "KGEN_TEST_PROBE"
)

func init() {
	commands["hanging-worker"] = func() {
		os.Exit(worker.Main(worker.OpenCL, func() worker.Driver { return hanging{} }, os.Args[1:], os.Stdout))
	}
}

type hanging struct{ worker.Session }

func (hanging) List(context.Context) (worker.Listing, error) {
	return worker.Listing{Devices: []worker.Device{{Name: "opencl:0", Machine: hanging{}.Machine()}}}, nil
}

func (hanging) Open(_ context.Context, _ int, options worker.SessionOptions) (worker.Session, error) {
	if long, err := time.ParseDuration(os.Getenv(probeVariable)); err == nil {
		options.Probing()
		time.Sleep(long)
	}
	return hanging{}, nil
}

func (hanging) Machine() plan.Machine {
	m := plan.Machine{Device: "hanging", Units: 1, MaxWorkgroup: 1024, LocalBytes: 32 << 10, Memory: 1 << 30, Caps: map[plan.Cap]plan.Evidence{}}
	for _, c := range strings.Fields(os.Getenv(capsVariable)) {
		m.Caps[plan.Cap(c)] = plan.Declared
	}
	return m
}

func (hanging) Import(data []byte) (planexec.Memory, error)    { return data, nil }
func (hanging) Alloc(bytes int64) (planexec.Memory, error)     { return make([]byte, bytes), nil }
func (hanging) Free(planexec.Memory)                           {}
func (hanging) Fill(planexec.Memory, []byte, int64) error      { return nil }
func (hanging) Busy() string                                   { return "a kernel" }
func (hanging) Close()                                         {}
func (hanging) Sync() error                                    { return nil }
func (hanging) Launch(context.Context, *planexec.Launch) error { select {} }

// TestTimeLimit ends a run whose device hangs.
func TestTimeLimit(t *testing.T) {
	onDevice(t, "atomics.i64 progress.ticket", "--time-limit", "500ms").
		expect("the device did not end within 500ms; it was busy with a kernel", "--time-limit gives a run more time")
}

// TestMissingAtomics names the variant that a device without atomics of 64 bits
// can run.
func TestMissingAtomics(t *testing.T) {
	onDevice(t, "", "--schedule", "variant=privvar").expect("hanging lacks atomics.i64", "--schedule variant=segmented")
}

// onDevice starts kgen on the device of the hanging worker.
func onDevice(t *testing.T, caps string, args ...string) *process {
	t.Helper()
	path, err := exec.LookPath("hanging-worker")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"counts.kg": "pipeline counts(k: [n]i32) {\n\tg = runs(k)\n\treturn rows: count(by: g)\n}\n", "data.csv": "k\n1\n2\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return command(t, append([]string{"run", "counts.kg", "--in", "data.csv", "--device", "opencl:0"}, args...)...).
		under(worker.OpenCL.Variable, path).under(capsVariable, caps).start()
}
