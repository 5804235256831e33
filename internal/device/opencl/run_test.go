//go:build opencl

package opencl_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kgen-go/kgen/internal/device"
	"github.com/kgen-go/kgen/internal/device/devicetest"
	run "github.com/kgen-go/kgen/internal/device/opencl"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/plan"
)

var suite = &devicetest.Suite{
	Name: "opencl", Program: worker.OpenCL, New: func() worker.Driver { return run.New() }, Require: "KGEN_REQUIRE_OPENCL",
	Kernels: text,
	Wrong: "// orders.kg:3:7: sum(x, by: g)\n__kernel void grow(long row0, int rows, __global int *count, __global int *full)\n" +
		"{\n\t// orders.kg:4:5\n\tcount[0] = unheard_of;\n}\n",
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestDevice(t *testing.T) { suite.Run(t) }

// The output of a kernel or a driver does not mix with the messages.
func TestPrintf(t *testing.T) {
	r := suite.Request(devicetest.WordPlan("print"), nil)
	r.Texts[devicetest.File] = `__kernel void print(long row0, int rows, __global int *word) { printf("{}\n"); word[0] = 7; }`
	if got := devicetest.MustRun(t, suite.Device(t), r).Scalars["word"].Bits; got != 7 {
		t.Errorf("word %d", got)
	}
}

func TestProbe(t *testing.T) {
	listing, err := suite.Device(t).List(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	d := listing.Devices[suite.Number()]
	m := d.Machine
	if d.Name != fmt.Sprintf("opencl:%d", suite.Number()) || m.Device == "" || m.Driver == "" || m.Units < 1 || m.MaxWorkgroup < 1 || m.LocalBytes < 1<<10 || m.Memory < 1<<20 || m.MaxAlloc < 1<<20 || m.Subgroup < 1 {
		t.Errorf("%+v", d)
	}
	if len(d.Findings) != 10 {
		t.Errorf("%d findings: %v", len(d.Findings), d.Findings)
	}
	for _, f := range d.Findings {
		if f.Value == "" || f.Evidence == "" || f.Detail == "" {
			t.Errorf("finding without value or evidence: %+v", f)
		}
		if c := plan.Cap(f.Name); (f.Value == "yes") != m.Has(c) && (f.Value == "yes" || f.Value == "no") {
			t.Errorf("%s is %s, and in the machine %v", f.Name, f.Value, m.Has(c))
		}
	}
	if !strings.Contains(d.Platform, "Portable Computing Language") {
		return
	}
	// What PoCL is known to do.
	for _, c := range []plan.Cap{plan.CapAtomicsI64, plan.CapFP64, plan.CapTicket, plan.CapDivideF32, plan.CapDenormalsF32} {
		if !m.Has(c) {
			t.Errorf("PoCL lacks %s: %v", c, d.Findings)
		}
	}
}

// The second process takes programs from the cache, and makes damaged ones anew.
func TestProgramCache(t *testing.T) {
	suite.Device(t)
	folder := t.TempDir()
	passing, pocl := false, "0" // PoCL without a cache of its own
	times := func(factor string) int64 {
		t.Helper()
		c := suite.Open(t, func(o *worker.Options) { o.Environment = []string{"KGEN_CACHE=" + folder, "POCL_KERNEL_CACHE=" + pocl} })
		defer c.Close()
		r := suite.Request(devicetest.WordPlan("times"), nil)
		r.Passing = passing
		r.Texts[devicetest.File] = "__kernel void times(long row0, int rows, __global int *word) { word[0] = " + factor + "; }"
		return int64(devicetest.MustRun(t, c, r).Scalars["word"].Bits)
	}
	entries := func() (names []string) {
		files, err := filepath.Glob(filepath.Join(folder, "opencl", "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if !strings.HasPrefix(filepath.Base(f), "lock-") {
				names = append(names, f)
			}
		}
		return names
	}
	times("1") // probes
	probe := entries()
	// made returns the entry that building a program adds.
	made := func(factor string, want int64) string {
		t.Helper()
		before := entries()
		if got := times(factor); got != want {
			t.Fatalf("word = %s gave %d", factor, got)
		}
		added := slices.DeleteFunc(entries(), func(name string) bool { return slices.Contains(before, name) })
		if len(added) != 1 {
			t.Fatalf("word = %s added the entries %v to %v", factor, added, probe)
		}
		return added[0]
	}
	two, three := made("2", 2), made("3", 3)
	binary, err := os.ReadFile(three)
	if err != nil {
		t.Fatal(err)
	}
	// A program under another's key shows that binaries are really used.
	if err := os.WriteFile(two, binary, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := times("2"); got != 3 {
		t.Errorf("the second process did not take its program from the cache: %d", got)
	}
	if err := os.WriteFile(two, binary[:len(binary)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if got := times("2"); got != 2 {
		t.Errorf("with a damaged entry: %d", got)
	}
	if repaired, err := os.ReadFile(two); err != nil || len(repaired) <= len(binary)/2 {
		t.Errorf("the damaged entry was not replaced: %v", err)
	}
	passing = true
	before := entries()
	if got := times("5"); got != 5 {
		t.Errorf("a text that passes gave %d", got)
	}
	if after := entries(); !slices.Equal(after, before) {
		t.Errorf("of a text that passes something was kept: %v, before %v", after, before)
	}
	passing, pocl = false, "1"
	if got := times("7"); got != 7 {
		t.Errorf("with a cache of PoCL's own: %d", got)
	}
	listing, err := suite.Device(t).List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	isPoCL := strings.Contains(listing.Devices[suite.Number()].Platform, "Portable Computing Language")
	if after := entries(); slices.Equal(after, before) != isPoCL {
		t.Errorf("PoCL %v: kept %v, before %v", isPoCL, after, before)
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
		c := suite.Open(t, func(o *worker.Options) { o.Environment = []string{"OCL_ICD_VENDORS=" + folder} })
		listing, err := c.List(context.Background())
		if err == nil && len(listing.Devices) > 0 && os.Getenv("KGEN_TEST_DEVICE") != "" {
			t.Skip("the loader of this machine does not ask OCL_ICD_VENDORS")
		}
		if err != nil || len(listing.Devices) > 0 {
			t.Fatalf("%s: %v, %v", test.name, listing.Devices, err)
		}
		_, err = c.Run(context.Background(), suite.Request(devicetest.GrowPlan(), nil))
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
	suite.Device(t)
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
	c := suite.Open(t, func(o *worker.Options) { o.Environment = []string{"OCL_ICD_VENDORS=" + folder} })
	listing, err := c.List(context.Background())
	if err != nil || len(listing.Devices) == 0 || !strings.Contains(strings.Join(listing.Notes, "\n"), "libghost-opencl.so.1") {
		t.Errorf("%d devices, notes %q, %v", len(listing.Devices), listing.Notes, err)
	}
}

func TestKernelThatCrashes(t *testing.T) {
	c := suite.Device(t)
	if listing, _ := c.List(context.Background()); !strings.Contains(listing.Devices[suite.Number()].Platform, "Portable Computing Language") {
		t.Skip("a wild write need not end the process of a GPU's driver")
	}
	_, err := c.Run(context.Background(), suite.Request(devicetest.WordPlan("crash"), nil))
	var crash *worker.CrashError
	if !errors.As(err, &crash) || !strings.Contains(err.Error(), "segmentation fault") {
		t.Errorf("got %v", err)
	}
	suite.StillWorks(t, c)
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

// Kernels keep arguments from launch to launch, whichever session it is of.
func TestLaunchesAgain(t *testing.T) {
	suite.Device(t)
	driver := run.New()
	var sessions []worker.Session
	for range 2 {
		s, err := driver.Open(context.Background(), suite.Number(), worker.SessionOptions{Sources: device.NewSources(nil, map[string]string{devicetest.File: text})})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		sessions = append(sessions, s)
	}
	devicetest.Again(t, 300, sessions...)
}

// A kernel that never ends is named, too, where those before took no time.
func TestShortRunsThatHang(t *testing.T) {
	suite.Device(t)
	c := suite.Open(t, func(o *worker.Options) { o.Limit = 3 * time.Second })
	r := suite.Request(devicetest.GrowPlan(), nil) // in rounds
	r.Texts[devicetest.File] = `__kernel void grow(long row0, int rows, volatile __global int *count, __global int *full) {
	count[0] = rows;
	full[0] = rows < 100;
	while (rows > 50 && count[0] != 0) ;
}`
	_, err := c.Run(context.Background(), r)
	var late *worker.TimeoutError
	if !errors.As(err, &late) || late.Busy != `kernel "grow" over 64 rows` {
		t.Errorf("%v", err)
	}
}
