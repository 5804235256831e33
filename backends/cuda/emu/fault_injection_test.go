package emu

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/plan"
)

const badText = `extern "C" __global__ void endless(long long row0, long long rows, int* out) {
	while (*(volatile int*)out == 0) {
	}
}
extern "C" __global__ void outside(long long row0, long long rows, int* out) {
	out[rows << 20] = 1;
}
extern "C" __global__ void divides(long long row0, long long rows, int* out) {
	out[0] = 7 / out[0];
}
static __device__ __attribute__((noinline)) int deep(int* out, int n) {
	volatile int here[1000];
	here[n % 1000] = n;
	return n == 0 ? out[0] : deep(out, n - 1) + here[n % 1000];
}
extern "C" __global__ void recurses(long long row0, long long rows, int* out) {
	out[0] = deep(out, 1000);
}
extern "C" __global__ void fits(long long row0, long long rows, int* out) {
	volatile int here[50000];
	for (int i = 0; i < 50000; i += 500) {
		here[i] = threadIdx.x + i;
	}
	__syncthreads();
	for (int i = 0; i < 50000; i += 500) {
		if (here[i] != threadIdx.x + i) {
			__trap();
		}
	}
}
static __device__ __attribute__((noinline)) int large(int n) {
	volatile int here[75000];
	here[n] = n;
	return here[n];
}
extern "C" __global__ void overflows(long long row0, long long rows, int* out) {
	if (threadIdx.x == 5) { // below whose stack is that of another
		out[0] = large(rows);
	}
}
extern "C" __global__ void traps(long long row0, long long rows, int* out) {
	if (rows > 0) {
		__trap();
	}
}
extern "C" __global__ void __launch_bounds__(64, 8) writes(long long row0, long long rows, int* out) {
	out[0] = 1;
}
extern "C" __global__ void long_numbers(long long row0, long long rows, long long* out) {
	out[0] = row0;
	out[1] = rows;
}
extern "C" __global__ void greedy(long long row0, long long rows, int* out) {
	__shared__ int many[20000];
	many[threadIdx.x] = 1;
	out[0] = many[0];
}
extern "C" __global__ void meets(long long row0, long long rows, unsigned* out) {
	atomicAdd(out, 1u);
	while (*(volatile unsigned*)out < gridDim.x) {
	}
}
`

// bad launches a kernel of badText over one zeroed buffer.
func bad(ctx context.Context, d *Device, kernel string, edit func(*exec.Launch)) error {
	m, err := d.Alloc(16)
	if err != nil {
		return err
	}
	if err := d.Fill(m, []byte{0}, 16); err != nil {
		return err
	}
	l := &exec.Launch{Kernel: &plan.Kernel{Name: kernel}, Workgroups: 1, Rows: 4, Args: []exec.Arg{{Memory: m}},
		Variant: &plan.Variant{Entry: kernel, File: "bad.cu", Args: []plan.Arg{{Name: "out"}}}}
	if edit != nil {
		edit(l)
	}
	return d.Launch(ctx, l)
}

// TestFaultInjection: whatever a kernel does, its launch ends with an error that says
// where, and the next one runs.
func TestFaultInjection(t *testing.T) {
	texts := map[string]string{"bad.cu": badText}
	for _, check := range []bool{false, true} {
		// Only without checks is there a kernel that the limit ends; a busy machine has time for the others.
		e := newEmulator(t, Options{Check: check, Limit: time.Minute, Memory: 1 << 20})
		limited := newEmulator(t, Options{Check: check, Limit: time.Second, Memory: 1 << 20})
		for _, c := range []struct {
			kernel string
			kinds  map[bool]Kind // with checks and without
			text   string
			edit   func(*exec.Launch)
		}{
			{"endless", map[bool]Kind{false: Timeout, true: Livelock}, "volatile int*", nil},
			{"outside", map[bool]Kind{false: Bounds, true: Bounds}, "out[rows << 20]", nil},
			{"divides", map[bool]Kind{false: Trap, true: Trap}, "7 / out[0]", nil},
			{"recurses", map[bool]Kind{false: Trap, true: Trap}, "", nil},
			{"overflows", map[bool]Kind{false: Trap, true: Trap}, "large(int n)", func(l *exec.Launch) { l.Variant.Schedule.Workgroup = 32 }},
			{"traps", map[bool]Kind{false: Trap, true: Trap}, "__trap()", nil},
			{"meets", map[bool]Kind{false: Timeout, true: Livelock}, "gridDim", func(l *exec.Launch) { l.Workgroups = 64 }},
		} {
			e := e
			if c.kinds[check] == Timeout {
				e = limited
			}
			err := e.Use(t.Context(), texts, func(d *Device) error { return bad(t.Context(), d, c.kernel, c.edit) })
			var fault *FaultError
			if !errors.As(err, &fault) || fault.Faults[0].Kind != c.kinds[check] || !strings.Contains(fault.Faults[0].Text, c.text) {
				t.Errorf("%s, check %v: %v", c.kernel, check, err)
			}
			err = e.Use(t.Context(), texts, func(d *Device) error {
				return errors.Join(bad(t.Context(), d, "writes", nil), bad(t.Context(), d, "writes", nil))
			})
			if err != nil {
				t.Errorf("after %s, check %v: %v", c.kernel, check, err)
			}
		}
		// As many blocks as run at once may meet, where the plan says so.
		err := e.Use(t.Context(), texts, func(d *Device) error {
			return bad(t.Context(), d, "meets", func(l *exec.Launch) { l.Workgroups, l.Variant.Forward = DefaultResident, plan.ForwardResident })
		})
		if err != nil {
			t.Errorf("meets, check %v: %v", check, err)
		}
	}
}

// TestLocals: every thread may have 200 KiB of local variables, of all blocks,
// and no others than its own.
func TestLocals(t *testing.T) {
	for _, check := range []bool{false, true} {
		e := newEmulator(t, Options{Check: check, Seed: 1, Memory: 1 << 20})
		err := e.Use(t.Context(), map[string]string{"bad.cu": badText}, func(d *Device) error {
			return bad(t.Context(), d, "fits", func(l *exec.Launch) { l.Workgroups, l.Variant.Schedule.Workgroup = DefaultResident, 256 })
		})
		if err != nil {
			t.Errorf("check %v: %v", check, err)
		}
	}
}

// TestNoStubs: wherever a launch is stopped, it is in a line of the text or in
// what that line calls.
func TestNoStubs(t *testing.T) {
	e := newEmulator(t, Options{})
	for _, check := range []bool{false, true} {
		m, err := e.compiler.module(t.Context(), "meets", "bad.cu", badText, nil, check)
		if err != nil {
			t.Fatal(err)
		}
		file, err := elf.NewFile(bytes.NewReader(m.binary))
		if err != nil {
			t.Fatal(err)
		}
		if stubs := file.Section(".rela.plt"); stubs != nil {
			t.Errorf("check %v: %d bytes of stubs", check, stubs.Size)
		}
	}
}

// TestRefused: what cannot run is refused in words.
func TestRefused(t *testing.T) {
	e := newEmulator(t, Options{Check: true, Memory: 1 << 20})
	for _, c := range []struct {
		want string
		use  func(d *Device) error
	}{
		{"takes 3 arguments, and is given 4", func(d *Device) error {
			return bad(t.Context(), d, "writes", func(l *exec.Launch) { l.Args = append(l.Args, exec.Arg{Value: exec.Value{Kind: plan.I64}}) })
		}},
		{"argument 3 of writes has 8 bytes, and is given 4", func(d *Device) error {
			return bad(t.Context(), d, "writes", func(l *exec.Launch) { l.Args = []exec.Arg{{Value: exec.Value{Kind: plan.I32}}} })
		}},
		{"the text has no kernel nowhere", func(d *Device) error { return bad(t.Context(), d, "nowhere", nil) }},
		{`the text "other.cu" of kernel "writes" was not given`, func(d *Device) error {
			return bad(t.Context(), d, "writes", func(l *exec.Launch) { l.Variant.File = "other.cu" })
		}},
		{"80000 bytes of shared variables; CUDA has at most 49152", func(d *Device) error { return bad(t.Context(), d, "greedy", nil) }},
		{"2048 threads a block; CUDA has at most 1024", func(d *Device) error {
			return bad(t.Context(), d, "writes", func(l *exec.Launch) { l.Variant.Schedule.Workgroup = 2048 })
		}},
		{"128 threads a block; writes is declared for at most 64", func(d *Device) error {
			return bad(t.Context(), d, "writes", func(l *exec.Launch) { l.Variant.Schedule.Workgroup = 128 })
		}},
		{"no more memory", func(d *Device) error { _, err := d.Alloc(1<<20 + 1); return err }},
		{"no more memory", func(d *Device) error { _, err := d.Import(make([]byte, 1<<20+1)); return err }},
		{"reads byte 4 of out, which no kernel wrote", func(d *Device) error {
			var out exec.Memory
			err := bad(t.Context(), d, "writes", func(l *exec.Launch) {
				out, _ = d.Alloc(8)
				l.Args[0].Memory = out
			})
			return errors.Join(err, d.Read(out, 0, make([]byte, 8)))
		}},
		{"a column of the caller", func(d *Device) error {
			return bad(t.Context(), d, "writes", func(l *exec.Launch) { l.Args[0].Memory, _ = d.Import(make([]byte, 16)) })
		}},
	} {
		err := e.Use(t.Context(), map[string]string{"bad.cu": badText}, c.use)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	for _, options := range []Options{{Resident: -1}, {Memory: -1}, {Limit: -1}} {
		if _, err := New(t.Context(), options); err == nil {
			t.Errorf("%+v is taken", options)
		}
	}
}

// TestTextRefused: an error of g++ names the line of the text.
func TestTextRefused(t *testing.T) {
	e := newEmulator(t, Options{})
	const text = "// x.kg:7: y\nextern \"C\" __global__ void writes(long long row0, long long rows, int* out) {\n\tout[0] = nothing;\n}\n"
	err := e.Use(t.Context(), map[string]string{"bad.cu": text}, func(d *Device) error { return bad(t.Context(), d, "writes", nil) })
	var refused *worker.BuildError
	if !errors.As(err, &refused) || refused.Line != 3 || refused.Text != "out[0] = nothing;" || refused.Source != "x.kg:7" {
		t.Errorf("%#v", err)
	}
}

// TestLongNumbers: arguments have 64 bits.
func TestLongNumbers(t *testing.T) {
	e := newEmulator(t, Options{Check: true})
	err := e.Use(t.Context(), map[string]string{"bad.cu": badText}, func(d *Device) error {
		out, err := d.Alloc(16)
		if err != nil {
			return err
		}
		err = bad(t.Context(), d, "long_numbers", func(l *exec.Launch) { l.Row0, l.Rows, l.Args[0].Memory = 1<<40+1, -1<<50, out })
		got := make([]byte, 16)
		err = errors.Join(err, d.Read(out, 0, got))
		if want := []byte{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0xfc, 0xff}; !bytes.Equal(got, want) {
			t.Errorf("got %x, want %x", got, want)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestLostProcess: a killed child is an error of one run.
func TestLostProcess(t *testing.T) {
	e := newEmulator(t, Options{})
	texts := map[string]string{"bad.cu": badText}
	err := e.Use(t.Context(), texts, func(d *Device) error {
		d.process.command.Process.Kill()
		return bad(t.Context(), d, "writes", nil)
	})
	var crash *worker.CrashError
	if !errors.As(err, &crash) || crash.Status != "signal: killed" {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	err = e.Use(ctx, texts, func(d *Device) error { return bad(ctx, d, "endless", nil) })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := e.Use(t.Context(), texts, func(d *Device) error { return bad(t.Context(), d, "writes", nil) }); err != nil {
		t.Error(err)
	}
}

// Runs that share modules have g++ called once.
func TestModulesAreKept(t *testing.T) {
	e := newEmulator(t, Options{})
	run := func(kept *Modules) error {
		return e.Use(t.Context(), map[string]string{"bad.cu": badText}, func(d *Device) error {
			d.kept = kept
			return bad(t.Context(), d, "writes", nil)
		})
	}
	var kept Modules
	if err := run(&kept); err != nil {
		t.Fatal(err)
	}
	e.compiler.path, e.compiler.cache = "/nowhere/g++", nil
	if err := run(&kept); err != nil {
		t.Errorf("the second run: %v", err)
	}
	if run(nil) == nil {
		t.Error("a run without the modules is built by no compiler")
	}
}

// Without g++ there is no emulation, and the message says what to do.
func TestNoCompiler(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := New(t.Context(), Options{})
	var missing *MissingError
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "apt-get install g++") {
		t.Error(err)
	}
}

// A context that ends while g++ is asked for its version is the error, not a missing g++.
func TestEndedWhileAsked(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "g++"), []byte("#!/bin/sh\nsleep 60\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := Compiler(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestPortableFibers: the fibers of other processors than the one that has
// some in assembly.
func TestPortableFibers(t *testing.T) {
	e := newEmulator(t, Options{Check: true, Seed: 1})
	host, err := e.compiler.host(t.Context(), "-DCUDAEMU_UCONTEXT")
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(host, e.host) {
		t.Fatal("the flag changes nothing")
	}
	e.host = host
	for _, k := range []kernelTest{scanTest(3000), exchangeTest(499)} {
		if wrong, err := k.run(t.Context(), e, ""); err != nil || wrong != "" {
			t.Errorf("%s: %v %s", k.name, err, wrong)
		}
	}
}

// TestFilesGone: nothing stays behind in the temporary folder.
func TestFilesGone(t *testing.T) {
	e := newEmulator(t, Options{})
	if wrong, err := exchangeTest(499).run(t.Context(), e, ""); err != nil || wrong != "" {
		t.Errorf("%v %s", err, wrong)
	}
	e.Close()
	if _, err := os.Stat(e.compiler.scratch.Path); !os.IsNotExist(err) {
		t.Error(err)
	}
}

// TestMalformedLimit: a setting that nobody can read does not turn the cache off
// without a word.
func TestMalformedLimit(t *testing.T) {
	t.Setenv("KGEN_CACHE_LIMIT", "much")
	e, err := New(t.Context(), Options{})
	var missing *MissingError
	if errors.As(err, &missing) && os.Getenv("KGEN_REQUIRE_CUDAEMU") == "" {
		t.Skip(err)
	}
	if err == nil {
		e.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "KGEN_CACHE_LIMIT=much") {
		t.Errorf("error %v", err)
	}
}
