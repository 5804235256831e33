//go:build cuda

package cuda_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	run "github.com/kgen-go/kgen/internal/device/cuda"
	"github.com/kgen-go/kgen/internal/device/devicetest"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/plan"
)

var suite = &devicetest.Suite{
	Name: "cuda", Program: worker.CUDA, New: func() worker.Driver { return run.New() }, Strict: true, Require: "KGEN_REQUIRE_CUDA",
	Kernels: text,
	Wrong: "// orders.kg:3:7: sum(x, by: g)\nextern \"C\" __global__ void grow(long long row0, long long rows, int *count, int *full)\n" +
		"{\n\t// orders.kg:4:5\n\tcount[0] = unheard_of;\n}\n",
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestDevice(t *testing.T) { suite.Run(t) }

// The output of a kernel does not mix with the messages.
func TestPrintf(t *testing.T) {
	if got := devicetest.MustRun(t, suite.Device(t), suite.Request(devicetest.WordPlan("print"), nil)).Scalars["word"].Bits; got != 7 {
		t.Errorf("word %d", got)
	}
}

func TestListing(t *testing.T) {
	listing, err := suite.Device(t).List(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	d := listing.Devices[suite.Number()]
	m := d.Machine
	if d.Name != fmt.Sprintf("cuda:%d", suite.Number()) || m.Device == "" || m.Driver == "" || m.Units < 1 || m.MaxWorkgroup < 512 || m.LocalBytes < 48<<10 || m.Memory < 1<<29 || m.Subgroup != 32 {
		t.Errorf("%+v", d)
	}
	for _, c := range []plan.Cap{plan.CapAtomicsI64, plan.CapFP64, plan.CapTicket, plan.CapResident, plan.CapDivideF32, plan.CapDenormalsF32} {
		if !m.Has(c) {
			t.Errorf("it lacks %s: %v", c, d.Findings)
		}
	}
}

// A kernel that goes wrong leaves the process without the device: the error
// names it, whatever call it shows at, and the next run has a new process.
func TestKernelThatLosesTheDevice(t *testing.T) {
	c := suite.Device(t)
	extra := func(p *plan.Plan, name string) plan.Step {
		p.Buffers = append(p.Buffers, plan.Buffer{Name: name, Kind: plan.I64, Role: plan.Temporary, Length: plan.Const(1 << 20)})
		return plan.Step{Alloc: &plan.Alloc{Buffer: name}}
	}
	behind := func(p *plan.Plan, steps ...plan.Step) { p.Steps = slices.Insert(p.Steps, len(p.Steps)-2, steps...) }
	plans := map[string]func(*plan.Plan){
		"alone":                func(*plan.Plan) {},
		"before an allocation": func(p *plan.Plan) { behind(p, extra(p, "behind")) },
		"before a kernel": func(p *plan.Plan) {
			other := devicetest.WordPlan("print")
			p.Kernels = append(p.Kernels, other.Kernels...)
			behind(p, other.Steps[len(other.Steps)-3])
		},
		"behind many fills": func(p *plan.Plan) {
			for i := range 12 {
				alloc := extra(p, fmt.Sprintf("b%d", i))
				p.Steps = slices.Insert(p.Steps, 0, alloc, plan.Step{Init: &plan.Init{Buffer: alloc.Alloc.Buffer}})
			}
		},
	}
	for entry, want := range map[string]string{"crash": "illegal memory access", "late": "illegal memory access", "trap": "failure"} {
		for name, change := range plans {
			for _, trace := range []bool{false, true} {
				p := devicetest.WordPlan(entry)
				change(p)
				r := suite.Request(p, nil)
				r.Trace = trace
				_, err := c.Run(context.Background(), r)
				var refused *worker.DeviceError
				if !errors.As(err, &refused) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), fmt.Sprintf("kernel %q over 1 rows", entry)) ||
					!strings.Contains(err.Error(), "the device is opened anew") {
					t.Errorf("%s %s, traced %v: %v", entry, name, trace, err)
				}
				suite.StillWorks(t, c)
			}
		}
	}
}

// togetherPlan launches a kernel that has the abort word of those that wait, and
// stores the number of groups. Its fallback stores 7.
func togetherPlan() *plan.Plan {
	p := devicetest.WordPlan("together")
	p.Buffers = append(p.Buffers, plan.Buffer{Name: "abort", Kind: plan.U32, Role: plan.Abort, Length: plan.Const(1)})
	v := &p.Kernels[0].Variants[0]
	v.Args = append(v.Args, plan.Arg{Name: "abort", Buffer: "abort", Access: plan.ReadsWrites})
	last := len(p.Steps) - 1
	p.Steps = append(append([]plan.Step{{Alloc: &plan.Alloc{Buffer: "abort"}}, {Init: &plan.Init{Buffer: "abort"}}}, p.Steps[:last]...),
		plan.Step{CheckErrors: &plan.CheckErrors{}}, p.Steps[last])
	p.Fallback = devicetest.WordPlan("print")
	return p
}

// Work-groups that wait for each other are launched so that all run at once.
func TestResidentLaunch(t *testing.T) {
	c := suite.Device(t)
	p := togetherPlan()
	v := &p.Kernels[0].Variants[0]
	v.Forward, v.Schedule.Workgroup, v.Grid = plan.ForwardResident, 64, plan.Resident("together")
	if r := devicetest.MustRun(t, c, suite.Request(p, nil)); int64(r.Scalars["word"].Bits) < 8 || len(r.GaveUp) > 0 {
		t.Errorf("%d groups, gave up: %v", int64(r.Scalars["word"].Bits), r.GaveUp)
	}
}

// More shared memory than 48 KiB has to be asked for.
func TestLargeLocalMemory(t *testing.T) {
	c := suite.Device(t)
	p := togetherPlan()
	v := &p.Kernels[0].Variants[0]
	v.LocalBytes = plan.Const(100_000)
	if r := devicetest.MustRun(t, c, suite.Request(p, nil)); len(r.GaveUp) > 0 {
		t.Errorf("100000 bytes: %v", r.GaveUp)
	}
	v.LocalBytes = plan.Const(1 << 20)
	if r := devicetest.MustRun(t, c, suite.Request(p, nil)); len(r.GaveUp) != 1 || r.Scalars["word"].Bits != 7 {
		t.Errorf("1 MiB: %d, gave up: %v", r.Scalars["word"].Bits, r.GaveUp)
	}
}

// Without NVRTC, code compiled by another process is used, for rounds too.
// Without such code, the error says what to install.
func TestWithoutNVRTC(t *testing.T) {
	suite.Device(t)
	folder := t.TempDir()
	run := func(needs []plan.Cap, environment ...string) error {
		t.Helper()
		c := suite.Open(t, func(o *worker.Options) { o.Environment = append(environment, "KGEN_CACHE="+folder) })
		p := devicetest.GrowPlan()
		p.Kernels[0].Variants[0].Needs = needs
		result, err := c.Run(context.Background(), suite.Request(p, nil))
		if err == nil && result.Scalars["size"].Bits != 128 {
			t.Errorf("size %d, want 128", result.Scalars["size"].Bits)
		}
		return err
	}
	const absent = "KGEN_NVRTC=/nowhere/libnvrtc.so"
	listing, err := suite.Open(t, func(o *worker.Options) { o.Environment = []string{absent} }).List(context.Background())
	if err != nil || len(listing.Devices) == 0 || len(listing.Notes) != 1 || !strings.Contains(listing.Notes[0], "NVRTC") {
		t.Fatalf("%v, %v", listing, err)
	}
	plans := [][]plan.Cap{nil}
	if rounds := []plan.Cap{plan.CapBulkCopy, plan.CapResident}; listing.Devices[suite.Number()].Machine.Has(rounds[0]) {
		plans = append(plans, rounds)
	}
	for _, needs := range plans {
		if err := run(needs, absent); err == nil || !strings.Contains(err.Error(), "/nowhere/libnvrtc.so: cannot open shared object file") ||
			!strings.Contains(err.Error(), "pip install nvidia-cuda-nvrtc") || strings.Count(err.Error(), `kernel "grow"`) != 1 {
			t.Errorf("needs %v, with an empty cache: %v", needs, err)
		}
	}
	if err := run(nil); err != nil {
		t.Fatal(err)
	}
	for _, needs := range plans {
		if err := run(needs, absent); err != nil {
			t.Errorf("needs %v, with PTX in the cache: %v", needs, err)
		}
	}
}

// Tests of emitted text see warnings, even if a user's run has left it
// compiled; users do not.
func TestWarnings(t *testing.T) {
	suite.Device(t)
	for _, text := range []struct {
		body    string
		refused bool
	}{{"\tcount[0] = (int)rows;\n\tfull[0] = 0;\n", false}, {"\tint unused;\n\tcount[0] = (int)rows;\n\tfull[0] = 0;\n", true}} {
		folder := t.TempDir()
		for _, strict := range []bool{false, true} {
			c := suite.Open(t, func(o *worker.Options) {
				o.Environment = []string{"KGEN_CACHE=" + folder}
				if strict {
					o.Environment = append(o.Environment, "KGEN_CUDA_WARNINGS_ARE_ERRORS=1")
				}
			})
			r := suite.Request(devicetest.GrowPlan(), nil)
			r.Texts[devicetest.File] = "extern \"C\" __global__ void grow(long long row0, long long rows, int *count, int *full)\n{\n" + text.body + "}\n"
			_, err := c.Run(context.Background(), r)
			var build *worker.BuildError
			if errors.As(err, &build) != (text.refused && strict) || build != nil && !strings.Contains(build.Log, `"unused" was declared but never referenced`) {
				t.Errorf("strict %v,%s: %v", strict, text.body, err)
			}
		}
	}
}

func TestNoDevice(t *testing.T) {
	if listing, _ := suite.Device(t).List(context.Background()); listing.Devices[suite.Number()].Machine.Device != "a stand-in" {
		t.Skip("there is a GPU")
	}
	_, err := worker.Open(context.Background(), worker.Options{Program: worker.CUDA, Path: os.Args[0], Environment: []string{"KGEN_TEST_DEVICES=0"}})
	var start *worker.StartError
	if !errors.As(err, &start) || !strings.Contains(err.Error(), "has no device for this process: no CUDA-capable device is detected (CUDA error 100") {
		t.Errorf("got %v", err)
	}
}

func TestMissingLibrary(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "libcuda.so.1"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := worker.Open(context.Background(), worker.Options{Program: worker.CUDA, Path: os.Args[0], Environment: []string{"LD_LIBRARY_PATH=" + folder}})
	var start *worker.StartError
	if !errors.As(err, &start) || !strings.Contains(err.Error(), "libcuda.so.1") || !strings.Contains(err.Error(), "Install NVIDIA's driver") {
		t.Errorf("got %v", err)
	}
}

// Large columns are pinned while they are copied, on both ways.
func TestLargeColumn(t *testing.T) {
	c := suite.Device(t)
	x := make([]byte, 40<<20)
	for i := range x {
		x[i] = byte(i * 7 / 5)
	}
	for _, want := range []string{"first", "second"} {
		session, err := run.New().Open(context.Background(), suite.Number(), worker.SessionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := session.Import(x)
		if err != nil {
			t.Fatal(want, err)
		}
		got := make([]byte, len(x))
		if err := session.Read(m, 0, got); err != nil || !bytes.Equal(got, x) {
			t.Errorf("%s: what was copied to the device and back differs: %v", want, err)
		}
		session.Free(m)
		session.Close()
	}
	suite.StillWorks(t, c)
}

// Elements of every width fill a buffer, also those that the driver has no
// function for.
func TestFill(t *testing.T) {
	suite.Device(t)
	session, err := run.New().Open(context.Background(), suite.Number(), worker.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	for _, element := range []string{"a", "ab", "abcd", "abcdefgh", "aa", "abab", "abcdabcd", "\x00\x00\x00\x00\x00\x00\x00\x00"} {
		for _, count := range []int64{1, 3, 511, 512, 513, 100_003} {
			m, err := session.Alloc(count * int64(len(element)))
			if err != nil {
				t.Fatal(err)
			}
			got := make([]byte, count*int64(len(element)))
			if err := session.Fill(m, unsafe.Slice(unsafe.StringData(element), len(element)), count); err != nil {
				t.Fatal(err)
			}
			if err := session.Read(m, 0, got); err != nil {
				t.Fatal(err)
			}
			if string(got) != strings.Repeat(element, int(count)) {
				t.Errorf("%d times %q", count, element)
			}
			session.Free(m)
		}
	}
}
