//go:build opencl

package run_test

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

	"github.com/kgen-go/kgen/backends/opencl/run"
	"github.com/kgen-go/kgen/backends/worker"
	"github.com/kgen-go/kgen/memory"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/plan/exec"
)

// pidVariable names a file to which the worker writes its process number.
const pidVariable = "KGEN_TEST_PID"

// TestMain makes the test program its own worker.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		if name := os.Getenv(pidVariable); name != "" {
			os.WriteFile(name, fmt.Append(nil, os.Getpid()), 0o600)
		}
		out, err := worker.TakeStdout()
		if err == nil {
			err = worker.Serve(run.New(), os.Stdin, out)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if os.Getenv("KGEN_CACHE") == "" {
		folder, err := os.MkdirTemp("", "kgen-opencl-test")
		if err != nil {
			panic(err)
		}
		os.Setenv("KGEN_CACHE", folder) // one for all tests, so that the device is probed once
		status := m.Run()
		os.RemoveAll(folder)
		os.Exit(status)
	}
	os.Exit(m.Run())
}

// open starts a worker; change may alter its options.
func open(t *testing.T, change func(*worker.Options)) *worker.Client {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	space := memory.NewSpace(0)
	options := worker.Options{Program: worker.OpenCL, Path: self, Space: space, Limit: 3 * time.Minute}
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

// device opens a worker and skips where there is no device; in CI that is a failure.
func device(t *testing.T) *worker.Client {
	t.Helper()
	c := open(t, nil)
	listing, err := c.List(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(listing.Devices) == 0 || listing.Devices[0].Problem != "" {
		message := fmt.Sprintf("no OpenCL device: %v %v", listing.Devices, listing.Notes)
		if os.Getenv("KGEN_REQUIRE_OPENCL") != "" {
			t.Fatal(message)
		}
		t.Skip(message)
	}
	return c
}

func request(p *plan.Plan, columns map[string]exec.Column) worker.Request {
	return worker.Request{Plan: p, Texts: map[string]string{"test.cl": text}, Inputs: exec.Inputs{Columns: columns}}
}

func mustRun(t *testing.T, c *worker.Client, r worker.Request) *worker.Result {
	t.Helper()
	result, err := c.Run(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// sizes are none, one, one tile and one more, several tiles and some; the last
// ones cross in shared memory.
var sizes = []int{0, 1, 64, 65, 7*512 + 7, 20011}

func TestMapWithCheck(t *testing.T) {
	c := device(t)
	for _, n := range sizes {
		a, b, want := make([]int64, n), make([]int64, n), make([]int64, n)
		for i := range n {
			a[i], b[i] = int64(i)*1e12-77, int64(i%9)-20
			want[i] = a[i] / b[i]
		}
		columns := map[string]exec.Column{"a": column(plan.I64, a), "b": column(plan.I64, b)}
		result := mustRun(t, c, request(dividePlan(), columns))
		if got := values[int64](result.Columns["quotient"]); !slices.Equal(got, want) && n > 0 {
			t.Errorf("n=%d: wrong quotients", n)
		}
		if got := result.Columns["quotient"].Rows(); got != int64(n) {
			t.Errorf("n=%d: %d rows", n, got)
		}
		if n < 3 {
			continue
		}
		b[n-1], b[n/2], b[n/2+1] = 0, 0, 0
		_, err := c.Run(context.Background(), request(dividePlan(), columns))
		var failed *exec.CheckError
		if !errors.As(err, &failed) || failed.Row != int64(n/2) || failed.Site.Position != "divide.kg:3:7" {
			t.Errorf("n=%d: got %v, want row %d", n, err, n/2)
		}
	}
}

func TestReduceThroughLocalMemory(t *testing.T) {
	c := device(t)
	for _, n := range sizes {
		x, want := make([]int64, n), int64(0)
		for i := range n {
			x[i] = int64(i)<<32 - 5
			want += x[i]
		}
		result := mustRun(t, c, request(reducePlan(), map[string]exec.Column{"x": column(plan.I64, x)}))
		if got := int64(result.Scalars["total"].Bits); got != want {
			t.Errorf("n=%d: total %d, want %d", n, got, want)
		}
		// In parts, as more rows than a launch spans would be.
		r := request(partsPlan(7777), map[string]exec.Column{"x": column(plan.I64, x)})
		r.Trace = true
		result = mustRun(t, c, r)
		launches := 0
		for _, s := range result.Steps {
			if s.Step == "launch" {
				launches++
			}
		}
		if got := int64(result.Scalars["total"].Bits); got != want || launches != (n+7776)/7777 {
			t.Errorf("n=%d in %d parts: total %d, want %d", n, launches, got, want)
		}
	}
}

// A device without a capability runs the fallback, and the result says so.
func TestFallbackWithoutCapability(t *testing.T) {
	p := scanPlan(1 << 30)
	p.Kernels[0].Variants[0].Needs = []plan.Cap{"wings"}
	result := mustRun(t, device(t), request(p, map[string]exec.Column{"x": column(plan.I32, []int32{1, 2, 3})}))
	if got := values[int64](result.Columns["sums"]); !slices.Equal(got, []int64{1, 3, 6}) || result.Level != "slow" {
		t.Errorf("%v by %s", got, result.Level)
	}
	if len(result.GaveUp) != 1 || !strings.Contains(result.GaveUp[0].Reason, "scan needs wings") {
		t.Errorf("gave up: %v", result.GaveUp)
	}
}

func TestLookbackAndItsFallback(t *testing.T) {
	c := device(t)
	for _, n := range append(sizes, 500_003) {
		x, want := make([]int32, n), make([]int64, n)
		sum := int64(0)
		for i := range n {
			x[i] = int32(i*7919) & 0xffffff
			sum += int64(x[i])
			want[i] = sum
		}
		for _, c1 := range []struct {
			patience int64
			level    string
		}{{1 << 30, "onepass"}, {0, "slow"}} {
			result := mustRun(t, c, request(scanPlan(c1.patience), map[string]exec.Column{"x": column(plan.I32, x)}))
			if got := values[int64](result.Columns["sums"]); !slices.Equal(got, want) {
				t.Errorf("n=%d patience %d: wrong sums", n, c1.patience)
			}
			if n > 64 && result.Level != c1.level {
				t.Errorf("n=%d patience %d: the level %s ran, want %s", n, c1.patience, result.Level, c1.level)
			}
		}
	}
}

func TestWhile(t *testing.T) {
	result := mustRun(t, device(t), request(growPlan(), nil))
	if size, count := result.Scalars["size"].Bits, result.Scalars["count"].Bits; size != 128 || count != 128 {
		t.Errorf("size %d, count %d, want 128", size, count)
	}
}

// What a kernel or a driver prints does not get between the messages.
func TestPrintf(t *testing.T) {
	r := request(wordPlan("print"), nil)
	r.Texts["test.cl"] = `__kernel void print(long row0, int rows, __global int *word) { printf("{}\n"); word[0] = 7; }`
	if got := mustRun(t, device(t), r).Scalars["word"].Bits; got != 7 {
		t.Errorf("word %d", got)
	}
}

// Scalars of all kinds arrive as the elements of a column.
func TestScalars(t *testing.T) {
	literals := []struct {
		name  string
		kind  plan.Kind
		value plan.Literal
	}{
		{"b", plan.Bool, "true"}, {"i8", plan.I8, "-100"}, {"i16", plan.I16, "-30000"}, {"i32", plan.I32, "-2000000000"}, {"i64", plan.I64, "-9000000000000000000"},
		{"u8", plan.U8, "200"}, {"u16", plan.U16, "60000"}, {"u32", plan.U32, "4000000000"}, {"u64", plan.U64, "18000000000000000000"},
		{"f32", plan.F32, "-0.1"}, {"f64", plan.F64, "1e-300"}, {"date", plan.Date, "1994-01-01"}, {"char8", plan.Char8, `"PROMO \u00e9"`},
	}
	k := kernel("scalars", plan.Schedule{})
	p := &plan.Plan{Version: plan.Version, Pipeline: "scalars", Level: "none", Domains: []plan.Domain{{Name: "m", Len: one}}}
	arguments := &k.Variants[0].Args
	in := map[string]exec.Value{}
	for _, l := range literals {
		bits, err := l.kind.Parse(l.value)
		if err != nil {
			t.Fatal(err)
		}
		in[l.name] = exec.Value{Kind: l.kind, Bits: bits}
		p.Ports = append(p.Ports, plan.Port{Name: l.name, Direction: plan.In, Kind: l.kind, Scalar: l.name})
		p.Scalars = append(p.Scalars, plan.Scalar{Name: l.name, Kind: l.kind})
		*arguments = append(*arguments, plan.Arg{Name: l.name, Scalar: l.name})
	}
	*arguments = append(*arguments, plan.Arg{Name: "value", Value: plan.Add(plan.Rows(), plan.Const(41))})
	in["value"] = exec.Value{Kind: plan.I64, Bits: 42}
	for _, l := range append(literals, struct {
		name  string
		kind  plan.Kind
		value plan.Literal
	}{"value", plan.I64, ""}) {
		out := "o" + l.name
		p.Ports = append(p.Ports, plan.Port{Name: out, Direction: plan.Out, Kind: l.kind, Domain: "m", Buffer: out})
		p.Buffers = append(p.Buffers, buffer(out, l.kind, plan.Output, one))
		p.Steps = append(p.Steps, fresh(out)...)
		*arguments = append(*arguments, inout(out))
	}
	p.Kernels = []plan.Kernel{k}
	p.Steps = append(p.Steps, launch("scalars", one), ret)
	r := request(p, nil)
	r.Inputs.Scalars = map[string]exec.Value{}
	for name, v := range in {
		if name != "value" {
			r.Inputs.Scalars[name] = v
		}
	}
	result := mustRun(t, device(t), r)
	for name, want := range in {
		if got := result.Columns["o"+name].Data; string(got) != string(want.Bytes()) {
			t.Errorf("%s: % x, want % x", name, got, want.Bytes())
		}
	}
}

func TestStepsCarryDeviceTime(t *testing.T) {
	x := make([]int32, 300_000)
	r := request(scanPlan(1<<30), map[string]exec.Column{"x": column(plan.I32, x)})
	r.Trace = true
	result := mustRun(t, device(t), r)
	device := map[string]int64{}
	var names []string
	for _, s := range result.Steps {
		names = append(names, s.Step+" "+s.Name)
		device[s.Step] += s.Device
		if s.Host <= 0 {
			t.Errorf("%s %s took no time", s.Step, s.Name)
		}
	}
	want := []string{"import x", "alloc sums", "init sums", "alloc status", "init status", "alloc ticket", "init ticket", "alloc abort", "init abort",
		"launch scan", "checkErrors ", "return "}
	if !slices.Equal(names, want) {
		t.Errorf("steps %q, want %q", names, want)
	}
	for _, step := range []string{"import", "init", "launch", "return"} {
		if device[step] == 0 {
			t.Errorf("the device had no time for %s", step)
		}
	}
	if device["alloc"] != 0 {
		t.Errorf("the device was busy for alloc: %d", device["alloc"])
	}
}

func TestProbe(t *testing.T) {
	listing, err := device(t).List(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	d := listing.Devices[0]
	m := d.Machine
	if d.Name != "opencl:0" || m.Device == "" || m.Driver == "" || m.Units < 1 || m.MaxGroup < 1 || m.LocalBytes < 1<<10 || m.Memory < 1<<20 || m.MaxAlloc < 1<<20 || m.Subgroup < 1 {
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
	device(t)
	folder := t.TempDir()
	times := func(factor string) int64 {
		t.Helper()
		c := open(t, func(o *worker.Options) { o.Environment = []string{"KGEN_CACHE=" + folder} })
		defer c.Close()
		r := request(wordPlan("times"), nil)
		r.Texts["test.cl"] = "__kernel void times(long row0, int rows, __global int *word) { word[0] = " + factor + "; }"
		return int64(mustRun(t, c, r).Scalars["word"].Bits)
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
}
