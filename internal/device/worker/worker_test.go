package worker_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/plan"
)

const (
	modeVariable   = "KGEN_TEST_MODE"
	babbleVariable = "KGEN_TEST_BABBLE"
)

// TestMain makes the test program a worker, of a good or a bad kind.
func TestMain(m *testing.M) {
	if len(os.Args) < 2 || os.Args[1] != "serve" {
		os.Exit(m.Run())
	}
	switch os.Getenv(modeVariable) {
	case "library":
		fmt.Fprintln(os.Stderr, "kgen-opencl: error while loading shared libraries: libOpenCL.so.1: cannot open shared object file: No such file or directory")
		os.Exit(127)
	case "untagged":
		fmt.Fprintln(os.Stderr, "built without the tag")
		os.Exit(2)
	case "old":
		fmt.Println(`{"protocol":0}`)
		io.Copy(io.Discard, os.Stdin)
	case "mute":
		os.Exit(0)
	case "babble":
		fmt.Println(`{"protocol":9}`)
		fmt.Println(os.Getenv(babbleVariable))
		io.Copy(io.Discard, os.Stdin)
	default:
		os.Exit(worker.Main(worker.OpenCL, func() worker.Driver { return fake{} }, os.Args[1:], os.Stdout))
	}
	os.Exit(0)
}

// fake is a driver whose one device knows a few kernels.
type fake struct{}

func (fake) List(context.Context) (worker.Listing, error) {
	return worker.Listing{Devices: []worker.Device{{Name: "fake:0", Machine: machine}}, Notes: []string{"a note \xff"}}, nil
}

func (fake) Open(_ context.Context, device int, options worker.SessionOptions) (worker.Session, error) {
	if device != 0 {
		return nil, fmt.Errorf("there is no device fake:%d", device)
	}
	s := &session{options: options}
	if s.text() == "slow" {
		options.Probing()
		time.Sleep(time.Second)
	}
	return s, nil
}

var machine = plan.Machine{Device: "fake", Units: 1, MaxWorkgroup: 64, Memory: 1 << 30, MaxAlloc: 1 << 20, Caps: map[plan.Cap]plan.Evidence{plan.CapFP64: plan.Declared}}

type session struct {
	options  worker.SessionOptions
	launches int
	commands int // fills and launches
}

func (s *session) text() string {
	text, _ := s.options.Sources.Alone(&plan.Variant{File: "text"})
	return text
}

func (*session) Machine() plan.Machine                                                { return machine }
func (*session) Resident(context.Context, *plan.Kernel, *plan.Variant) (int64, error) { return 1, nil }
func (*session) Import(data []byte) (exec.Memory, error)                              { return slices.Clone(data), nil }
func (*session) Alloc(bytes int64) (exec.Memory, error)                               { return make([]byte, bytes), nil }
func (*session) Free(exec.Memory)                                                     {}
func (*session) Sync() error                                                          { return nil }
func (*session) Elapsed() time.Duration                                               { return time.Microsecond }
func (*session) Busy() string                                                         { return "its task" }
func (*session) Close()                                                               {}
func (*session) Read(m exec.Memory, offset int64, to []byte) error {
	copy(to, m.([]byte)[offset:])
	return nil
}

func (s *session) Gather(reads []exec.Read) error {
	for _, part := range reads {
		s.Read(part.Memory, part.Offset, part.To)
	}
	return nil
}

func (*session) Copy(to, from exec.Memory, bytes int64) error {
	copy(to.([]byte), from.([]byte)[:bytes])
	return nil
}

func (s *session) Fill(m exec.Memory, element []byte, count int64) error {
	s.commands++
	for i := range count {
		copy(m.([]byte)[i*int64(len(element)):], element)
	}
	return nil
}

// Spans takes a millisecond a command.
func (s *session) Spans(times int, work func() error) (spans []time.Duration, err error) {
	for range times {
		before := s.commands
		err = errors.Join(err, work())
		spans = append(spans, time.Duration(s.commands-before)*time.Millisecond)
	}
	return spans, err
}

func (s *session) Launch(_ context.Context, l *exec.Launch) error {
	switch s.text() {
	case "hang":
		select {}
	case "crash":
		panic("driver bug")
	case "slow":
		begun := time.Now()
		time.Sleep(time.Second)
		s.options.Compiled(time.Since(begun), false)
		s.options.Compiled(time.Nanosecond, true)
	case "lose":
		lost = true
	case "refuse":
		return worker.NewBuildError(l.Kernel.Name, "text", "fake", "text:1:1: error: \xff", s.text())
	}
	s.commands++
	if s.launches > 1 && s.text() == "hang later" {
		select {}
	}
	if s.launches++; s.launches > 1 && s.text() == "once" {
		return nil
	}
	if lost {
		return fmt.Errorf("kernel: %w", &worker.LostError{Err: errors.New("an illegal address")})
	}
	x, y, checks := words(l.Args[0]), words(l.Args[1]), words(l.Args[2])
	for i := range l.Rows {
		y[i] = 2*x[i] + int64(l.Args[3].Value.Bits)
		if x[i] < 0 {
			checks[0] = min(checks[0], i)
		}
	}
	return nil
}

var lost bool // the device is of no more use to this process

func words(a exec.Arg) []int64 {
	data := a.Memory.([]byte)
	return unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/8)
}

// double is 2x + add over the rows of x.
func double() *plan.Plan {
	fresh := func(name string) []plan.Step {
		return []plan.Step{{Alloc: &plan.Alloc{Buffer: name}}, {Init: &plan.Init{Buffer: name}}}
	}
	return &plan.Plan{
		Version: plan.Version, Pipeline: "double", Level: "onepass",
		Ports: []plan.Port{
			{Name: "x", Direction: plan.In, Kind: plan.I64, Domain: "n", Buffer: "x"},
			{Name: "add", Direction: plan.In, Kind: plan.I64, Scalar: "add"},
			{Name: "y", Direction: plan.Out, Kind: plan.I64, Domain: "n", Buffer: "y", Depth: plan.Const(7)},
			{Name: "same", Direction: plan.Out, Kind: plan.I64, Scalar: "add"},
		},
		Domains: []plan.Domain{{Name: "n", Ordered: true}},
		Scalars: []plan.Scalar{{Name: "add", Kind: plan.I64}},
		Buffers: []plan.Buffer{
			{Name: "x", Kind: plan.I64, Role: plan.Input}, {Name: "y", Kind: plan.I64, Role: plan.Output, Length: plan.Len("n")},
			{Name: "errors", Kind: plan.I64, Role: plan.Errors, Length: plan.Const(1)},
		},
		Kernels: []plan.Kernel{{Name: "double", Variants: []plan.Variant{{Entry: "double", File: "text", Args: []plan.Arg{
			{Name: "x", Buffer: "x"}, {Name: "y", Buffer: "y", Access: plan.Writes}, {Name: "errors", Buffer: "errors", Access: plan.ReadsWrites}, {Name: "add", Scalar: "add"}}}}}},
		Steps: slices.Concat(fresh("y"), fresh("errors"), []plan.Step{
			{Launch: &plan.Launch{Kernel: "double", Rows: plan.Len("n")}}, {CheckErrors: &plan.CheckErrors{}}, {Return: &plan.Return{}}}),
		Sites: []plan.Site{{Position: "a.kg:1:2", Kind: "range", Message: "x is negative", Domain: "n", When: plan.Expr{}}},
	}
}

func options(mode string) worker.Options {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return worker.Options{Program: worker.OpenCL, Path: self, Limit: time.Minute, Environment: []string{modeVariable + "=" + mode}}
}

func open(t *testing.T, o worker.Options) *worker.Client {
	t.Helper()
	c, err := worker.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func request(x []int64, text string) worker.Request {
	data := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 8*len(x))
	return worker.Request{Code: worker.Code{Plan: double(), Texts: map[string]string{"text": text}}, Inputs: exec.Inputs{
		Columns: map[string]exec.Column{"x": {Kind: plan.I64, Data: data}}, Scalars: map[string]exec.Value{"add": {Kind: plan.I64, Bits: 1<<63 + 1}}}}
}

// Columns cross inside the message, copied into shared memory, and as shared memory.
func TestColumnsCross(t *testing.T) {
	space := memory.NewSpace(0)
	defer space.Close()
	o := options("")
	o.Space = space
	c := open(t, o)
	for _, n := range []int{0, 1, 100, memory.LeastShared/8 - 1, memory.LeastShared / 8, 100_003} {
		shared, err := space.New(int64(8 * n))
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range [][]int64{make([]int64, n), unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(shared))), n)} {
			for i := range x {
				x[i] = int64(i)
			}
			r := request(x, "")
			r.Trace = n == 100
			before := space.Used()
			result, err := c.Run(context.Background(), r)
			if err != nil {
				t.Fatal(err)
			}
			y := result.Columns["y"]
			got := unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(y.Data))), len(y.Data)/8)
			if y.Kind != plan.I64 || len(got) != n {
				t.Fatalf("n=%d: %d rows of %s", n, len(got), y.Kind)
			}
			for i := range got {
				if got[i] != 2*int64(i)+(-1<<63+1) {
					t.Fatalf("n=%d row %d: %d", n, i, got[i])
				}
			}
			if result.Scalars["same"] != (exec.Value{Kind: plan.I64, Bits: 1<<63 + 1}) || result.Level != "onepass" || result.Depths["y"] != 7 || result.Peak != int64(max(16*n, 16)+8) {
				t.Errorf("n=%d: %+v", n, result)
			}
			if r.Trace != (len(result.Steps) == 9) || r.Trace && (result.Steps[0].Step != worker.StepOpen || result.Steps[6].Step != "launch" || result.Steps[6].Device != 1000) {
				t.Errorf("n=%d: steps %+v", n, result.Steps)
			}
			// Reserved memory, into which the worker writes, does not count.
			if inline := space.Used() - before; runtime.GOOS == "linux" && (inline > 0) != (n > 0 && 8*n < memory.LeastShared) {
				t.Errorf("n=%d: %d bytes came inside the message", n, inline)
			}
			space.Free(y.Data)
		}
		space.Free(shared)
	}
	if space.Used() != 0 {
		t.Errorf("%d bytes are still in use", space.Used())
	}
}

// TestDoing: a client hears what a call is waiting for, and a trace tells the
// probe and the compilation from the kernel.
func TestDoing(t *testing.T) {
	o := options("")
	var doing []string
	o.Doing = func(what string) { doing = append(doing, what) }
	c := open(t, o)
	for text, want := range map[string][]string{"slow": {"the probe of the device", "its task"}, "": nil} {
		doing = nil
		r := request([]int64{1, 2}, text)
		r.Trace = true
		result, err := c.Run(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(doing, want) {
			t.Errorf("%q: heard %q, want %q", text, doing, want)
		}
		host := map[string]time.Duration{}
		for _, s := range result.Steps {
			host[s.Step] += time.Duration(s.Host)
		}
		if text == "" {
			if _, ok := host[worker.StepOpen]; !ok || len(host) < 4 {
				t.Errorf("the steps are %v", host)
			}
			continue
		}
		if host[worker.StepProbe] < time.Second || host[worker.StepCompile] < time.Second || host[worker.StepCached] != time.Nanosecond ||
			host["launch"] >= host[worker.StepCompile] {
			t.Errorf("the steps are %v", host)
		}
	}
}

// Results of repeated work are those of the last repetition.
func TestRepeat(t *testing.T) {
	c := open(t, options(""))
	const poisoned = -0x5a5a5a5a5a5a5a5b
	for text, want := range map[string][]int64{"": {3, 5}, "once": {0, 0}, "never filled": {3, 5}, "once, never filled": {poisoned, poisoned}} {
		r := request([]int64{1, 2}, strings.TrimSuffix(text, ", never filled"))
		r.Inputs.Scalars["add"] = exec.Value{Kind: plan.I64, Bits: 1}
		if strings.HasSuffix(text, "never filled") {
			r.Plan.Steps = slices.Delete(r.Plan.Steps, 1, 2)
		}
		r.Repeat, r.Trace = 3, true
		result, err := c.Run(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		if got := words(exec.Arg{Memory: result.Columns["y"].Data}); !slices.Equal(got, want) {
			t.Errorf("%q: results %d, want %d", text, got, want)
		}
		// The plan fills one or two buffers and launches one kernel.
		if want := time.Duration(len(r.Plan.Steps)-4) * time.Millisecond; !slices.Equal(result.Times, []time.Duration{want, want, want}) {
			t.Errorf("%q: times %v, want %v", text, result.Times, want)
		}
		if want := []worker.LaunchTime{{Kernel: r.Plan.Kernels[0].Name, Time: time.Millisecond.Nanoseconds()}}; !slices.Equal(result.Launches, want) {
			t.Errorf("%q: launches %v, want %v", text, result.Launches, want)
		}
	}
	r := request([]int64{1}, "")
	r.Repeat, r.Plan.Steps = 1, slices.Concat(r.Plan.Steps[:2], r.Plan.Steps)
	if _, err := c.Run(context.Background(), r); err == nil || !strings.Contains(err.Error(), "allocates a buffer twice") {
		t.Error(err)
	}
	r.Repeat = -1
	if _, err := c.Run(context.Background(), r); err == nil || !strings.Contains(err.Error(), "-1 repetitions") {
		t.Error(err)
	}
}

// A launch that a loop makes again is repeated with what each had.
func TestRepeatOfLoop(t *testing.T) {
	c := open(t, options(""))
	r := request([]int64{1, 2, 3}, "")
	r.Inputs.Scalars["add"] = exec.Value{Kind: plan.I64}
	for i, step := range r.Plan.Steps {
		if launch := step.Launch; launch != nil {
			launch.Rows = plan.Sub(plan.Len("n"), plan.Var("add"))
			r.Plan.Steps[i] = plan.Step{While: &plan.While{Cond: plan.Lt(plan.Var("add"), plan.Const(2)), Max: 9, Steps: []plan.Step{
				step, {Set: &plan.Set{Scalar: "add", Value: plan.Add(plan.Var("add"), plan.Const(1))}}},
				Else: []plan.Step{{Set: &plan.Set{Scalar: "add", Value: plan.Const(-1)}}}}}
		}
	}
	for _, r.Repeat = range []int{0, 2} {
		result, err := c.Run(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		if got := words(exec.Arg{Memory: result.Columns["y"].Data}); !slices.Equal(got, []int64{3, 5, 6}) {
			t.Errorf("repeated %d times: %d", r.Repeat, got)
		}
	}
}

// A bound beyond all memory does not prevent a small result, and the reason why
// a plan gave up is reported.
func TestHugeBoundAndFallback(t *testing.T) {
	r := request([]int64{1, 2, 3}, "")
	r.Plan.Domains = append(r.Plan.Domains, plan.Domain{Name: "m", Len: plan.Var("rows"), Bound: plan.Const(1 << 60)})
	r.Plan.Scalars = append(r.Plan.Scalars, plan.Scalar{Name: "rows", Kind: plan.I64, Init: "3"})
	r.Plan.Buffers[1].Length = plan.Len("m")
	r.Plan.Ports[2].Domain = "m"
	eager := *r.Plan
	eager.Level, eager.Needs, eager.Fallback = "eager", []plan.Cap{"wings"}, r.Plan
	r.Plan = &eager
	result, err := open(t, options("")).Run(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Columns["y"].Data) != 24 || result.Level != "onepass" {
		t.Errorf("%+v", result)
	}
	if len(result.GaveUp) != 1 || result.GaveUp[0] != (exec.GiveUpError{Level: "eager", Reason: "fake lacks wings"}) {
		t.Errorf("gave up: %+v", result.GaveUp)
	}
}

// A result is as long as it is, not as its bound.
func TestTrueLength(t *testing.T) {
	r := request(make([]int64, 50_000), "")
	r.Plan.Domains = append(r.Plan.Domains, plan.Domain{Name: "m", Len: plan.Sub(plan.Len("n"), plan.Const(9)), Bound: plan.Len("n")})
	r.Plan.Ports[2].Domain = "m"
	result, err := open(t, options("")).Run(context.Background(), r)
	if err != nil || len(result.Columns["y"].Data) != 8*(50_000-9) {
		t.Errorf("%d bytes, %v", len(result.Columns["y"].Data), err)
	}
}

func TestList(t *testing.T) {
	listing, err := open(t, options("")).List(context.Background())
	if err != nil || len(listing.Devices) != 1 || listing.Devices[0].Machine.Caps[plan.CapFP64] != plan.Declared || len(listing.Notes) != 1 {
		t.Errorf("%+v, %v", listing, err)
	}
}

func TestErrorsKeepTheirType(t *testing.T) {
	c := open(t, options(""))
	run := func(change func(*worker.Request)) error {
		r := request([]int64{1, 2, 3}, "")
		change(&r)
		_, err := c.Run(context.Background(), r)
		return err
	}
	var check *exec.CheckError
	if err := run(func(r *worker.Request) { *r = request([]int64{1, -2, -3}, "") }); !errors.As(err, &check) || err.Error() != "a.kg:1:2: x is negative (row 1 of n)" {
		t.Errorf("check: %v", err)
	}
	var giveUp *exec.GiveUpError
	if err := run(func(r *worker.Request) { r.Plan.Needs = []plan.Cap{"wings"} }); !errors.As(err, &giveUp) || giveUp.Level != "onepass" {
		t.Errorf("give up: %v", err)
	}
	var input *exec.InputError
	if err := run(func(r *worker.Request) { r.Inputs.Scalars = nil }); !errors.As(err, &input) || input.Port != "add" {
		t.Errorf("input: %v", err)
	}
	var alloc *exec.AllocError
	if err := run(func(r *worker.Request) { r.Memory = 30 }); !errors.As(err, &alloc) || alloc.Limit != 30 || alloc.Buffer != "y" {
		t.Errorf("memory: %v", err)
	}
	var build *worker.BuildError
	if err := run(func(r *worker.Request) { r.Texts["text"] = "refuse" }); !errors.As(err, &build) || build.Line != 1 || build.Text != "refuse" {
		t.Errorf("build: %v", err)
	}
	var device *worker.DeviceError
	if err := run(func(r *worker.Request) { r.Device = 3 }); !errors.As(err, &device) || device.Message != "there is no device fake:3" {
		t.Errorf("device: %v", err)
	}
	if err := run(func(r *worker.Request) { r.Plan = nil }); err == nil {
		t.Error("no plan")
	}
	if err := run(func(*worker.Request) {}); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestCrash(t *testing.T) {
	c := open(t, options(""))
	_, err := c.Run(context.Background(), request([]int64{1}, "crash"))
	var crash *worker.CrashError
	if !errors.As(err, &crash) || !strings.Contains(crash.Stderr, "driver bug") {
		t.Errorf("got %v", err)
	}
	if _, err := c.Run(context.Background(), request([]int64{1}, "")); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// A device that a process has lost is there again for the next run.
func TestLost(t *testing.T) {
	c := open(t, options(""))
	_, err := c.Run(context.Background(), request([]int64{1}, "lose"))
	var refused *worker.DeviceError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "an illegal address") {
		t.Errorf("got %v", err)
	}
	if _, err := c.Run(context.Background(), request([]int64{1}, "")); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestHang(t *testing.T) {
	o := options("")
	o.Limit = 2 * time.Second
	c := open(t, o)
	_, err := c.Run(context.Background(), request([]int64{1}, "hang"))
	var timeout *worker.TimeoutError
	if !errors.As(err, &timeout) || timeout.Limit != o.Limit || timeout.Busy != "its task" {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	if _, err := c.Run(ctx, request([]int64{1}, "hang")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if _, err := c.Run(context.Background(), request([]int64{1}, "")); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// Serve returns at the end of its input, even in the middle of a call.
func TestServeEndsWithItsInput(t *testing.T) {
	in, client := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- worker.Serve(fake{}, in, io.Discard) }()
	io.WriteString(client, `{"limit":60000000000,"run":{"device":0,"plan":{"version":1,"pipeline":"p","kernels":[{"name":"k","variants":[{"entry":"k","file":"text","grid":1}]}],`+
		`"steps":[{"launch":{"kernel":"k","rows":1}},{"return":{}}]},"texts":{"text":"hang"},"columns":[],"scalars":{},"results":[]}}`+"\n")
	client.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestBadWorkers(t *testing.T) {
	for mode, want := range map[string]string{
		"library":  "apt-get install ocl-icd-libopencl1",
		"untagged": "built without the tag",
		"old":      "it speaks version 0 of the protocol and this kgen version 9",
		"mute":     "it ended without a word",
	} {
		_, err := worker.Open(context.Background(), options(mode))
		var start *worker.StartError
		if !errors.As(err, &start) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", mode, err)
		}
	}
	for _, babble := range []string{"hello, world", "{}", `{"listing":{"devices":[]}}`, `{"run":{"columns":[{"port":"y","kind":"i64","size":8}]}}`} {
		o := options("babble")
		o.Environment = append(o.Environment, babbleVariable+"="+babble)
		o.Limit = 500 * time.Millisecond
		_, err := open(t, o).Run(context.Background(), request([]int64{1}, ""))
		var crash *worker.CrashError
		var timeout *worker.TimeoutError // it never sends the column that it announces
		if !errors.As(err, &crash) && !errors.As(err, &timeout) {
			t.Errorf("%s: %v", babble, err)
		}
	}
}

func TestFind(t *testing.T) {
	empty := t.TempDir()
	t.Setenv("PATH", empty)
	_, err := worker.Open(context.Background(), worker.Options{Program: worker.OpenCL})
	var missing *worker.MissingError
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "go install -tags opencl ./cmd/kgen-opencl, in the folder") {
		t.Errorf("got %v", err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	program := filepath.Join(empty, "kgen-opencl")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if path, err := worker.OpenCL.Find(); err != nil || path != program {
		t.Errorf("on PATH: %q, %v", path, err)
	}
	t.Setenv(worker.OpenCL.Variable, filepath.Join(empty, "nothing"))
	if _, err := worker.OpenCL.Find(); !errors.As(err, &missing) || !strings.Contains(err.Error(), "KGEN_OPENCL_WORKER is ") {
		t.Errorf("by its variable: %v", err)
	}
}

func TestBuildErrorFindsTheLine(t *testing.T) {
	text := "// q6.kg:1:1\nint a;\n// q6.kg:4:9 discount\nint b = c;\nint d;\n"
	for log, want := range map[string]struct {
		line   int
		source string
	}{
		"<kernel>:4:9: error: use of undeclared identifier 'c'\n":           {4, "q6.kg:4:9"}, // NVIDIA
		"error: /cache/tempfile.cl:2:9: use of undeclared identifier 'c'\n": {2, "q6.kg:1:1"}, // PoCL
		"<kernel>:2:1: warning: unused\n<kernel>:4:9: error: no\n":          {4, "q6.kg:4:9"},
		"<kernel>:99:9: error: beyond the end\n":                            {0, ""},
		"":                                                                  {0, ""},
	} {
		e := worker.NewBuildError("k", "q6.cl", "driver", log, text)
		if e.Line != want.line || e.Source != want.source || e.Error() == "" {
			t.Errorf("%q: %+v", log, e)
		}
	}
}
