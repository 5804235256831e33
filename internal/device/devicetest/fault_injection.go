//go:build unix

package devicetest

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

	planexec "github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/plan"
)

// StillWorks runs something that must succeed after what went wrong.
func (s *Suite) StillWorks(t *testing.T, c *worker.Client) {
	t.Helper()
	if got := MustRun(t, c, s.Request(GrowPlan(), nil)).Scalars["size"].Bits; got != 128 {
		t.Errorf("afterwards: size %d, want 128", got)
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

const parentVariable = "KGEN_TEST_PARENT"

func (s *Suite) noSuchDevice(t *testing.T) {
	c := s.Device(t)
	for _, number := range []int{-1, 99} {
		r := s.Request(GrowPlan(), nil)
		r.Device = number
		_, err := c.Run(context.Background(), r)
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("there is no device %s:%d; there are ", s.Name, number)) {
			t.Errorf("device %d: %v", number, err)
		}
	}
	s.StillWorks(t, c)
}

func (s *Suite) outOfMemory(t *testing.T) {
	c := s.Device(t)
	r := s.Request(reducePlan(), map[string]planexec.Column{"x": column(plan.I64, make([]int64, 1000))})
	r.Memory = 8000
	_, err := c.Run(context.Background(), r)
	var alloc *planexec.AllocError
	if !errors.As(err, &alloc) || alloc.Limit != 8000 || alloc.Buffer != "sum" || alloc.InUse != 8000 {
		t.Errorf("over the limit: %v", err)
	}
	r.Memory = 8008
	MustRun(t, c, r)
	huge := WordPlan("endless")
	huge.Buffers[0].Length = plan.Const(1 << 50)
	_, err = c.Run(context.Background(), s.Request(huge, nil))
	if !errors.As(err, &alloc) || alloc.Bytes != 4<<50 || alloc.Err == nil {
		t.Errorf("more than the device has: %v", err)
	}
	s.StillWorks(t, c)
}

func (s *Suite) driverRefusesKernel(t *testing.T) {
	c := s.Device(t)
	r := s.Request(GrowPlan(), nil)
	r.Texts[File] = s.Wrong
	_, err := c.Run(context.Background(), r)
	var build *worker.BuildError
	if !errors.As(err, &build) {
		t.Fatalf("got %v", err)
	}
	if build.Kernel != "grow" || build.File != File || build.Line != 5 || build.Text != "count[0] = unheard_of;" ||
		build.Source != "orders.kg:4:5" || !strings.Contains(build.Log, "unheard_of") {
		t.Errorf("%+v", build)
	}
	for name, change := range map[string]func(*worker.Request){
		`the text "test" of kernel "grow" was not given`: func(r *worker.Request) { r.Texts = nil },
		`the text has no kernel "shrink"`:                func(r *worker.Request) { r.Plan.Kernels[0].Variants[0].Entry = "shrink" },
		"endless takes 3 arguments, the plan gives 4":    func(r *worker.Request) { r.Plan.Kernels[0].Variants[0].Entry = "endless" },
		`the plan's constant "A; system(\"ls\")" is no name in C`: func(r *worker.Request) {
			r.Plan.Kernels[0].Variants[0].Spec = []plan.Spec{{Name: `A; system("ls")`, Value: one}}
		},
		"kernel \"grow\" has no variant for ":                        func(r *worker.Request) { r.Plan.Kernels[0].Variants[0].Schedule.Workgroup = 1 << 20 },
		"2147483648 rows from row 0 on; a launch spans 0 to 2147483": func(r *worker.Request) { r.Plan.Steps[4].While.Steps[0].Set.Value = plan.Const(1 << 31) },
	} {
		r := s.Request(GrowPlan(), nil)
		change(&r)
		if _, err := c.Run(context.Background(), r); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %s", err, name)
		}
	}
	s.StillWorks(t, c)
}

func (s *Suite) kernelThatNeverEnds(t *testing.T) {
	s.Device(t) // probes
	c := s.Open(t, func(o *worker.Options) { o.Limit = 3 * time.Second })
	_, err := c.Run(context.Background(), s.Request(WordPlan("endless"), nil))
	var timeout *worker.TimeoutError
	if !errors.As(err, &timeout) || timeout.Limit != 3*time.Second || timeout.Busy != `kernel "endless" over 1 rows` {
		t.Errorf("got %v", err)
	}
}

func (s *Suite) interrupt(t *testing.T) {
	s.Device(t)
	file := filepath.Join(t.TempDir(), "pid")
	c := s.Open(t, func(o *worker.Options) { o.Environment = []string{pidVariable + "=" + file} })
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	pid := waitPID(t, file)
	// Ctrl-C reaches every process of the terminal; only kgen answers it.
	if err := syscall.Kill(pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	s.StillWorks(t, c)
	time.AfterFunc(time.Second, cancel)
	if _, err := c.Run(ctx, s.Request(WordPlan("endless"), nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	waitGone(t, pid)
	s.StillWorks(t, c)
}

func (s *Suite) workerKilled(t *testing.T) {
	s.Device(t)
	file := filepath.Join(t.TempDir(), "pid")
	c := s.Open(t, func(o *worker.Options) { o.Environment = []string{pidVariable + "=" + file} })
	pid := waitPID(t, file)
	time.AfterFunc(time.Second, func() { syscall.Kill(pid, syscall.SIGKILL) })
	_, err := c.Run(context.Background(), s.Request(WordPlan("endless"), nil))
	var crash *worker.CrashError
	if !errors.As(err, &crash) || !strings.Contains(crash.Status, "killed") {
		t.Errorf("got %v", err)
	}
	s.StillWorks(t, c)
}

func (s *Suite) workerEndsWithItsParent(t *testing.T) {
	s.Device(t)
	file := filepath.Join(t.TempDir(), "pid")
	parent := exec.Command(os.Args[0], "-test.run=^TestDevice$/^Parent$")
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
func (s *Suite) sharedColdCache(t *testing.T) {
	s.Device(t)
	folder := t.TempDir()
	var group sync.WaitGroup
	for range 3 {
		c := s.Open(t, func(o *worker.Options) {
			o.Environment = []string{"KGEN_CACHE=" + folder, "POCL_KERNEL_CACHE=0"} // else PoCL keeps programs itself
		})
		group.Go(func() {
			result, err := c.Run(context.Background(), s.Request(GrowPlan(), nil))
			if err != nil || result.Scalars["size"].Bits != 128 {
				t.Errorf("%v, %v", result, err)
			}
		})
	}
	group.Wait()
	files, _ := filepath.Glob(filepath.Join(folder, s.Name, "*"))
	files = slices.DeleteFunc(files, func(name string) bool { return strings.Contains(name, "lock-") })
	if len(files) != 2 || slices.ContainsFunc(files, func(name string) bool { return strings.Contains(name, "unfinished") }) {
		t.Errorf("the cache holds %v; want the probe and our program", files)
	}
}

// parent is the process that workerEndsWithItsParent kills.
func (s *Suite) parent(t *testing.T) {
	file := os.Getenv(parentVariable)
	if file == "" {
		t.Skip("part of WorkerEndsWithItsParent")
	}
	c := s.Open(t, func(o *worker.Options) { o.Environment = []string{pidVariable + "=" + file} })
	c.Run(context.Background(), s.Request(WordPlan("endless"), nil))
}
