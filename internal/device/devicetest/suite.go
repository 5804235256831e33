//go:build unix

package devicetest

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/plan"
)

// Suite is the tests of a driver.
type Suite struct {
	Name    string // as --device has it: opencl
	Program worker.Program
	New     func() worker.Driver
	// Kernels are those of the plans: divide reduce scan slow grow scalars
	// endless. What each does, the text for OpenCL tells.
	Kernels string
	// Wrong is a text that the compiler refuses for unheard_of in its fifth line,
	// "count[0] = unheard_of;", with a position before it: orders.kg:4:5.
	Wrong string
	// Strict says that a device whose driver has a note is of no use.
	Strict bool
	// Require names a variable of the environment: where it is set, a test that
	// finds no device fails.
	Require string
}

// deviceVariable names the device that tests take, such as opencl:1.
const deviceVariable = "KGEN_TEST_DEVICE"

// Number returns the number of the device that the tests of a driver take: the first, unless the
// environment names another one of this driver.
func Number(driver string) int {
	number, ok := strings.CutPrefix(os.Getenv(deviceVariable), driver+":")
	if !ok {
		return 0
	}
	n, err := strconv.ParseUint(number, 10, 16)
	if err != nil {
		panic(fmt.Sprintf("%s is %s:%s: %v", deviceVariable, driver, number, err))
	}
	return int(n)
}

// Number returns the number of the device that the tests take.
func (s *Suite) Number() int { return Number(s.Name) }

// File is what plans call the text with their kernels.
const File = "test"

// pidVariable names a file to which the worker writes its process number.
const pidVariable = "KGEN_TEST_PID"

// Main makes the test program its own worker. All tests share a cache, so that
// the device is probed once.
func (s *Suite) Main(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		if name := os.Getenv(pidVariable); name != "" {
			os.WriteFile(name, fmt.Append(nil, os.Getpid()), 0o600)
		}
		os.Exit(worker.Main(s.Program, s.New, os.Args[1:], os.Stdout))
	}
	if os.Getenv("KGEN_CACHE") != "" {
		os.Exit(m.Run())
	}
	folder, err := os.MkdirTemp("", "kgen-"+s.Name+"-test")
	if err != nil {
		panic(err)
	}
	os.Setenv("KGEN_CACHE", folder)
	status := m.Run()
	os.RemoveAll(folder)
	os.Exit(status)
}

// Run runs all tests. The one that calls it must be called TestDevice.
func (s *Suite) Run(t *testing.T) {
	for _, test := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"MapWithCheck", s.mapWithCheck}, {"ReduceThroughLocalMemory", s.reduceThroughLocalMemory},
		{"FallbackWithoutCapability", s.fallbackWithoutCapability}, {"LookbackAndItsFallback", s.lookbackAndItsFallback},
		{"While", s.while}, {"Scalars", s.scalars}, {"StepsCarryDeviceTime", s.stepsCarryDeviceTime}, {"Repeat", s.repeat},
		{"NoSuchDevice", s.noSuchDevice}, {"OutOfMemory", s.outOfMemory}, {"DriverRefusesKernel", s.driverRefusesKernel}, {"OnlyWhatIsLaunched", s.onlyWhatIsLaunched},
		{"KernelThatNeverEnds", s.kernelThatNeverEnds}, {"Interrupt", s.interrupt}, {"WorkerKilled", s.workerKilled},
		{"Parent", s.parent}, {"WorkerEndsWithItsParent", s.workerEndsWithItsParent}, {"SharedColdCache", s.sharedColdCache},
	} {
		t.Run(test.name, test.run)
	}
}

// Open starts a worker; change may alter its options.
func (s *Suite) Open(t *testing.T, change func(*worker.Options)) *worker.Client {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	space := memory.NewSpace(0)
	options := worker.Options{Program: s.Program, Path: self, Space: space, Limit: 3 * time.Minute}
	if change != nil {
		change(&options)
	}
	c, err := worker.Open(context.Background(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); space.Close() })
	return c
}

// Device opens a worker and skips where there is no device.
func (s *Suite) Device(t *testing.T) *worker.Client {
	t.Helper()
	c := s.Open(t, nil)
	listing, err := c.List(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	n := s.Number()
	if len(listing.Devices) <= n || listing.Devices[n].Problem != "" || s.Strict && len(listing.Notes) > 0 {
		message := fmt.Sprintf("no device %s:%d: %v %v", s.Name, n, listing.Devices, listing.Notes)
		if os.Getenv(s.Require) != "" {
			t.Fatal(message)
		}
		t.Skip(message)
	}
	return c
}

// Request is the run of a plan over columns.
func (s *Suite) Request(p *plan.Plan, columns map[string]exec.Column) worker.Request {
	return worker.Request{Code: worker.Code{Device: s.Number(), Plan: p, Texts: map[string]string{File: s.Kernels}}, Inputs: exec.Inputs{Columns: columns}}
}

// MustRun runs what must succeed.
func MustRun(t *testing.T, c *worker.Client, r worker.Request) *worker.Result {
	t.Helper()
	result, err := c.Run(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	return result
}
