//go:build opencl

package testsuite_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/backends/opencl"
	"github.com/kgen-go/kgen/fuse"
	planexec "github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/internal/kernels"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
	"github.com/kgen-go/kgen/testsuite/sample"
)

// openCLSchedule has small tiles, so that few rows fill several and drivers
// compile faster. KGEN_OPENCL_SCHEDULE=default takes the tiles that users get.
var openCLSchedule = func() plan.Schedule {
	if os.Getenv("KGEN_OPENCL_SCHEDULE") == "default" {
		return plan.Schedule{}
	}
	return plan.Schedule{Workgroup: 32, Items: 4}
}()

// TestOpenCL runs the corpus on the first OpenCL device, at every level.
// KGEN_OPENCL_LEVELS chooses some levels.
func TestOpenCL(t *testing.T) {
	levels := []string{fuse.LevelOnePass, fuse.LevelNone, fuse.LevelPaper3, fuse.LevelPaper2, fuse.LevelAuto}
	if chosen := os.Getenv("KGEN_OPENCL_LEVELS"); chosen != "" {
		levels = strings.Split(chosen, ",")
	}
	ofCPUs := openCLSchedule // work-groups of one work-item, as users have on CPUs
	if ofCPUs.Workgroup > 0 {
		ofCPUs = plan.Schedule{Items: 20}
	}
	corpusOnOpenCL(t, func(i int, entry testsuite.Entry) []kerneltest.Choice {
		schedule := openCLSchedule
		if (i/7)%2 == 0 { // parts have one pipeline of seven
			schedule = ofCPUs
			if (i/14)%2 == 0 { // of several cores
				schedule.Scheme = simt.SchemePublished
			}
		}
		return kerneltest.LevelChoices(levels, schedule)(i, entry)
	})
}

// TestOpenCLVariants runs the pipelines of the corpus that aggregate groups by
// the variants of aggregation: each by one, at one level, or with
// KGEN_OPENCL_VARIANTS=all by all, at every level.
func TestOpenCLVariants(t *testing.T) {
	corpusOnOpenCL(t, kerneltest.VariantChoices(os.Getenv("KGEN_OPENCL_VARIANTS") == "all", openCLSchedule))
}

// TestOpenCLParts runs the corpus in several launches of each kernel, as inputs
// of 2^31 rows and more do: each pipeline at one level, or with
// KGEN_OPENCL_PARTS=all at all.
func TestOpenCLParts(t *testing.T) {
	corpusOnOpenCL(t, kerneltest.PartChoices(os.Getenv("KGEN_OPENCL_PARTS") == "all", openCLSchedule))
}

func corpusOnOpenCL(t *testing.T, choose kerneltest.Chooser) {
	path := buildWorker(t)
	devices := make(chan openCLDevice, 2)
	for range cap(devices) {
		device := openDevice(t, path)
		requireDevice(t, device)
		devices <- device
	}
	kerneltest.RunCorpus(t, "corpus", opencl.Emitter().On(plan.Machine{Subgroup: 1, MaxWorkgroup: 1024}), devices, takesHalf, choose)
}

// takesHalf is [sample.Takes], but with KGEN_TEST_TURN every other entry of these alone.
func takesHalf(i int) bool {
	return sample.Takes(i) && (!sample.Everything() || sample.TakesSetting(i, 0, 2))
}

// openCLDevice is the first device, or the one that KGEN_OPENCL_DEVICE numbers,
// as one worker sees it.
type openCLDevice struct {
	*worker.Client
	number int
	space  *memory.Space
}

// openDevice starts the worker at path.
func openDevice(t *testing.T, path string, environment ...string) openCLDevice {
	t.Helper()
	space := memory.NewSpace(0)
	t.Cleanup(func() { space.Close() })
	client, err := worker.Open(t.Context(), worker.Options{Program: worker.OpenCL, Path: path, Space: space, Environment: environment})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	number, _ := strconv.Atoi(os.Getenv("KGEN_OPENCL_DEVICE"))
	return openCLDevice{client, number, space}
}

// requireDevice skips the test where there is no device; KGEN_REQUIRE_OPENCL,
// which .ci/run sets, makes that a failure.
func requireDevice(t *testing.T, device openCLDevice) {
	t.Helper()
	listing, err := device.List(t.Context())
	switch {
	case err != nil:
		t.Fatal(err)
	case len(listing.Devices) > device.number && listing.Devices[device.number].Problem == "":
		t.Log(listing.Devices[device.number].Machine.Device)
	case os.Getenv("KGEN_REQUIRE_OPENCL") != "":
		t.Fatalf("no OpenCL device: %+v", listing)
	default:
		t.Skipf("no OpenCL device: %+v", listing)
	}
}

// runner returns the function that runs a program.
func (d openCLDevice) Runner(made *kernels.Program) func(planexec.Inputs) (*planexec.Result, error) {
	return func(in planexec.Inputs) (*planexec.Result, error) {
		result, err := d.Run(context.Background(), worker.Request{Code: worker.Code{Device: d.number, Plan: made.Plan, Texts: made.Texts(), Build: made.Options}, Inputs: in})
		if err != nil {
			return nil, err
		}
		for name, c := range result.Columns {
			result.Columns[name] = planexec.Column{Kind: c.Kind, Data: slices.Clone(c.Data)}
			d.space.Free(c.Data)
		}
		return &result.Result, nil
	}
}

// buildWorker builds the program that links OpenCL, or takes the one that
// KGEN_OPENCL_WORKER names: on a machine without Go.
func buildWorker(t *testing.T) string {
	t.Helper()
	if path := os.Getenv(worker.OpenCL.Variable); path != "" {
		return path
	}
	path := filepath.Join(t.TempDir(), "kgen-opencl")
	command := exec.Command("go", "build", "-tags", "opencl", "-o", path, "../cmd/kgen-opencl")
	command.Env = append(os.Environ(), "CGO_ENABLED=1")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}
