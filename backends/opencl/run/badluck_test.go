//go:build opencl

package run_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/kgen-go/kgen/backends/worker"
	"github.com/kgen-go/kgen/plan"
	planexec "github.com/kgen-go/kgen/plan/exec"
)

// stillWorks runs something that must succeed after what went wrong.
func stillWorks(t *testing.T, c *worker.Client) {
	t.Helper()
	if got := mustRun(t, c, request(growPlan(), nil)).Scalars["size"].Bits; got != 128 {
		t.Errorf("afterwards: size %d, want 128", got)
	}
}

func TestNoPlatform(t *testing.T) {
	if os.Getenv("OCL_ICD_VENDORS") != "" {
		t.Skip("the folder of drivers is set from outside")
	}
	for _, test := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"empty", nil, []string{"no OpenCL platform: no driver is installed in "}},
		{"broken", map[string]string{"ghost.icd": "libghost-opencl.so.1\n"}, []string{"no driver can be loaded", "ghost.icd", "libghost-opencl.so.1: cannot open shared object file"}},
		{"blank", map[string]string{"blank.icd": ""}, []string{"no driver can be loaded", "blank.icd: the file names no library"}},
	} {
		folder := t.TempDir()
		for name, text := range test.files {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c := open(t, func(o *worker.Options) { o.Environment = []string{"OCL_ICD_VENDORS=" + folder} })
		listing, err := c.List(context.Background())
		if err != nil || len(listing.Devices) > 0 {
			t.Fatalf("%s: %v, %v", test.name, listing.Devices, err)
		}
		_, err = c.Run(context.Background(), request(growPlan(), nil))
		var refused *worker.DeviceError
		if !errors.As(err, &refused) {
			t.Fatalf("%s: got %v", test.name, err)
		}
		for _, text := range []string{strings.Join(listing.Notes, "\n"), err.Error()} {
			for _, want := range append(test.want, folder) {
				if !strings.Contains(text, want) {
					t.Errorf("%s: %q does not say %q", test.name, text, want)
				}
			}
		}
	}
}

// A broken driver beside a good one is a note.
func TestBrokenDriverBesideAnother(t *testing.T) {
	device(t)
	installed, _ := filepath.Glob("/etc/OpenCL/vendors/*.icd")
	if len(installed) == 0 {
		t.Skip("no driver is registered in /etc/OpenCL/vendors")
	}
	folder := t.TempDir()
	for _, file := range installed {
		if err := os.Symlink(file, filepath.Join(folder, filepath.Base(file))); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "ghost.icd"), []byte("libghost-opencl.so.1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := open(t, func(o *worker.Options) { o.Environment = []string{"OCL_ICD_VENDORS=" + folder} })
	listing, err := c.List(context.Background())
	if err != nil || len(listing.Devices) == 0 || !strings.Contains(strings.Join(listing.Notes, "\n"), "libghost-opencl.so.1") {
		t.Errorf("%d devices, notes %q, %v", len(listing.Devices), listing.Notes, err)
	}
}

func TestNoSuchDevice(t *testing.T) {
	c := device(t)
	for _, number := range []int{-1, 99} {
		r := request(growPlan(), nil)
		r.Device = number
		_, err := c.Run(context.Background(), r)
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("there is no device opencl:%d; there are ", number)) {
			t.Errorf("device %d: %v", number, err)
		}
	}
	stillWorks(t, c)
}

func TestOutOfMemory(t *testing.T) {
	c := device(t)
	r := request(reducePlan(), map[string]planexec.Column{"x": column(plan.I64, make([]int64, 1000))})
	r.Memory = 8000
	_, err := c.Run(context.Background(), r)
	var alloc *planexec.AllocError
	if !errors.As(err, &alloc) || alloc.Limit != 8000 || alloc.Buffer != "sum" || alloc.InUse != 8000 {
		t.Errorf("over the limit: %v", err)
	}
	r.Memory = 8008
	mustRun(t, c, r)
	huge := wordPlan("endless")
	huge.Buffers[0].Length = plan.Const(1 << 50)
	_, err = c.Run(context.Background(), request(huge, nil))
	if !errors.As(err, &alloc) || alloc.Bytes != 4<<50 || alloc.Err == nil {
		t.Errorf("more than the device has: %v", err)
	}
	stillWorks(t, c)
}

func TestDriverRefusesKernel(t *testing.T) {
	c := device(t)
	r := request(growPlan(), nil)
	r.Texts["test.cl"] = "// orders.kg:3:7: sum(x, by: g)\n__kernel void grow(long row0, int rows, __global int *count, __global int *full)\n{\n\t// orders.kg:4:5\n\tcount[0] = unheard_of;\n}\n"
	_, err := c.Run(context.Background(), r)
	var build *worker.BuildError
	if !errors.As(err, &build) {
		t.Fatalf("got %v", err)
	}
	if build.Kernel != "grow" || build.File != "test.cl" || build.Line != 5 || build.Text != "count[0] = unheard_of;" ||
		build.Source != "orders.kg:4:5" || !strings.Contains(build.Log, "unheard_of") {
		t.Errorf("%+v", build)
	}
	for name, change := range map[string]func(*worker.Request){
		`the text "test.cl" of kernel "grow" was not given`: func(r *worker.Request) { r.Texts = nil },
		`the text has no kernel "shrink"`:                   func(r *worker.Request) { r.Plan.Kernels[0].Variants[0].Entry = "shrink" },
		"endless takes 3 arguments, the plan gives 4":       func(r *worker.Request) { r.Plan.Kernels[0].Variants[0].Entry = "endless" },
		`the plan's constant "A; system(\"ls\")" is no name in C`: func(r *worker.Request) {
			r.Plan.Kernels[0].Variants[0].Spec = []plan.Spec{{Name: `A; system("ls")`, Value: one}}
		},
		"kernel \"grow\" has no variant for ":                        func(r *worker.Request) { r.Plan.Kernels[0].Variants[0].Schedule.Workgroup = 1 << 20 },
		"2147483648 rows from row 0 on; a launch spans 0 to 2147483": func(r *worker.Request) { r.Plan.Steps[4].While.Steps[0].Set.Value = plan.Const(1 << 31) },
	} {
		r := request(growPlan(), nil)
		change(&r)
		if _, err := c.Run(context.Background(), r); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %s", err, name)
		}
	}
	stillWorks(t, c)
}

func TestKernelThatNeverEnds(t *testing.T) {
	device(t) // probes
	c := open(t, func(o *worker.Options) { o.Limit = 3 * time.Second })
	_, err := c.Run(context.Background(), request(wordPlan("endless"), nil))
	var timeout *worker.TimeoutError
	if !errors.As(err, &timeout) || timeout.Limit != 3*time.Second || timeout.Busy != `kernel "endless" over 1 rows` {
		t.Errorf("got %v", err)
	}
}

// waitGone waits until a process has ended.
func waitGone(t *testing.T, pid int) {
	t.Helper()
	for range 200 {
		state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(state), ") Z ") {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("process %d is still there", pid)
	syscall.Kill(pid, syscall.SIGKILL)
}

// waitPID waits for the number that a worker has written, and for it to be busy.
func waitPID(t *testing.T, file string) int {
	t.Helper()
	for range 200 {
		text, _ := os.ReadFile(file)
		if pid, err := strconv.Atoi(string(text)); err == nil {
			time.Sleep(500 * time.Millisecond)
			return pid
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("no worker has started")
	return 0
}

func TestInterrupt(t *testing.T) {
	device(t)
	file := filepath.Join(t.TempDir(), "pid")
	c := open(t, func(o *worker.Options) { o.Environment = []string{pidVariable + "=" + file} })
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	pid := waitPID(t, file)
	// Ctrl-C reaches every process of the terminal; only kgen answers it.
	if err := syscall.Kill(pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	stillWorks(t, c)
	time.AfterFunc(time.Second, cancel)
	if _, err := c.Run(ctx, request(wordPlan("endless"), nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	waitGone(t, pid)
	stillWorks(t, c)
}

func TestWorkerKilled(t *testing.T) {
	device(t)
	file := filepath.Join(t.TempDir(), "pid")
	c := open(t, func(o *worker.Options) { o.Environment = []string{pidVariable + "=" + file} })
	pid := waitPID(t, file)
	time.AfterFunc(time.Second, func() { syscall.Kill(pid, syscall.SIGKILL) })
	_, err := c.Run(context.Background(), request(wordPlan("endless"), nil))
	var crash *worker.CrashError
	if !errors.As(err, &crash) || !strings.Contains(crash.Status, "killed") {
		t.Errorf("got %v", err)
	}
	stillWorks(t, c)
}

func TestKernelThatCrashes(t *testing.T) {
	c := device(t)
	if listing, _ := c.List(context.Background()); !strings.Contains(listing.Devices[0].Platform, "Portable Computing Language") {
		t.Skip("a wild write need not end the process of a GPU's driver")
	}
	_, err := c.Run(context.Background(), request(wordPlan("crash"), nil))
	var crash *worker.CrashError
	if !errors.As(err, &crash) || !strings.Contains(err.Error(), "segmentation fault") {
		t.Errorf("got %v", err)
	}
	stillWorks(t, c)
}

const parentVariable = "KGEN_TEST_PARENT"

// TestParent is the process that TestWorkerEndsWithItsParent kills.
func TestParent(t *testing.T) {
	file := os.Getenv(parentVariable)
	if file == "" {
		t.Skip("part of TestWorkerEndsWithItsParent")
	}
	c := open(t, func(o *worker.Options) { o.Environment = []string{pidVariable + "=" + file} })
	c.Run(context.Background(), request(wordPlan("endless"), nil))
}

func TestWorkerEndsWithItsParent(t *testing.T) {
	device(t)
	file := filepath.Join(t.TempDir(), "pid")
	parent := exec.Command(os.Args[0], "-test.run=^TestParent$")
	parent.Env = append(os.Environ(), parentVariable+"="+file)
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	pid := waitPID(t, file)
	parent.Process.Kill()
	parent.Wait()
	waitGone(t, pid)
}

// Processes that start at once on an empty cache build each program once.
func TestSharedColdCache(t *testing.T) {
	device(t)
	folder := t.TempDir()
	var group sync.WaitGroup
	for range 3 {
		c := open(t, func(o *worker.Options) { o.Environment = []string{"KGEN_CACHE=" + folder} })
		group.Go(func() {
			result, err := c.Run(context.Background(), request(growPlan(), nil))
			if err != nil || result.Scalars["size"].Bits != 128 {
				t.Errorf("%v, %v", result, err)
			}
		})
	}
	group.Wait()
	files, _ := filepath.Glob(filepath.Join(folder, "opencl", "*"))
	files = slices.DeleteFunc(files, func(name string) bool { return strings.Contains(name, "lock-") })
	if len(files) != 2 || slices.ContainsFunc(files, func(name string) bool { return strings.Contains(name, "unfinished") }) {
		t.Errorf("the cache holds %v; want the probe and our program", files)
	}
}

func TestMissingLibrary(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "libOpenCL.so.1"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := worker.Open(context.Background(), worker.Options{Program: worker.OpenCL, Path: os.Args[0], Environment: []string{"LD_LIBRARY_PATH=" + folder}})
	var start *worker.StartError
	if !errors.As(err, &start) || !strings.Contains(err.Error(), "libOpenCL.so.1") || !strings.Contains(err.Error(), "apt-get install ocl-icd-libopencl1") {
		t.Errorf("got %v", err)
	}
}
