package exec_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/plan"
)

// subject is a plan with data that makes it go through most of its steps.
type subject struct {
	plan    *plan.Plan
	kernels map[string]kernel
	inputs  exec.Inputs
}

func subjects() map[string]subject {
	ordered, _ := orderedData(100, 5)
	rows := make([]int64, 30)
	keys := []int32{1, 2, 3, 1, 2, 3}
	return map[string]subject{
		"groups":  {groupsPlan(), groupsKernels, randomGroups(500, 1000).inputs()}, // grows, then falls back
		"ordered": {orderedPlan("none"), orderedKernels, ordered},
		"onepass": {orderedPlan("onepass"), orderedKernels, ordered},
		"parts":   {partsPlan(), partsKernels, exec.Inputs{Columns: map[string]exec.Column{"x": column(plan.I64, rows)}}},
		"join": {joinPlan(), joinKernels, exec.Inputs{Columns: map[string]exec.Column{
			"k": column(plan.I32, keys), "k2": column(plan.I32, keys),
		}}},
	}
}

func (s subject) run(ctx context.Context, device *fake, options exec.Options) (*exec.Result, error) {
	return exec.Run(ctx, device, s.plan, s.inputs, options)
}

// Whichever allocation fails, the error names the buffer and its bytes and
// nothing is leaked.
func TestFailedAllocation(t *testing.T) {
	for name, s := range subjects() {
		for number := 1; ; number++ {
			device := newFake(s.kernels)
			device.failAlloc = number
			_, err := s.run(context.Background(), device, exec.Options{})
			device.verify(t)
			if device.allocs < number {
				if err != nil || number < 5 {
					t.Errorf("%s: %d allocations, %v", name, device.allocs, err)
				}
				break
			}
			var failed *exec.AllocError
			if !errors.As(err, &failed) || !errors.Is(err, errOutOfMemory) {
				t.Fatalf("%s: allocation %d failed with %v", name, number, err)
			}
			if failed.Buffer == "" || failed.Bytes <= 0 || !strings.Contains(err.Error(), failed.Buffer) ||
				!strings.Contains(err.Error(), fmt.Sprint(failed.Bytes)) {
				t.Errorf("%s: allocation %d: %v", name, number, err)
			}
		}
	}
}

// A device may be lost at any call.
func TestLostDevice(t *testing.T) {
	for name, s := range subjects() {
		for after := 1; ; after++ {
			device := newFake(s.kernels)
			device.lostAfter = after
			_, err := s.run(context.Background(), device, exec.Options{Event: func(exec.Event) {}})
			device.verify(t)
			if err == nil {
				if after < 10 {
					t.Errorf("%s: only %d calls", name, after)
				}
				break
			}
			if !errors.Is(err, errLost) {
				t.Fatalf("%s: lost after %d calls: %v", name, after, err)
			}
		}
	}
}

func TestFailedKernel(t *testing.T) {
	broken := errors.New("illegal address")
	for name, s := range subjects() {
		for number := 1; ; number++ {
			device := newFake(s.kernels)
			launches := 0
			last := ""
			device.before = func(entry string) error {
				launches++
				if launches == number {
					last = entry
					return broken
				}
				return nil
			}
			_, err := s.run(context.Background(), device, exec.Options{})
			device.verify(t)
			if launches < number {
				break
			}
			if !errors.Is(err, broken) || !strings.Contains(err.Error(), "kernel \"") || last == "" {
				t.Fatalf("%s: launch %d of %s failed with %v", name, number, last, err)
			}
		}
	}
}

func TestCancel(t *testing.T) {
	for name, s := range subjects() {
		for number := 1; ; number++ {
			ctx, cancel := context.WithCancel(context.Background())
			device := newFake(s.kernels)
			launches := 0
			device.before = func(string) error {
				launches++
				if launches == number {
					cancel()
				}
				return nil
			}
			_, err := s.run(ctx, device, exec.Options{})
			cancel()
			device.verify(t)
			if launches < number {
				break
			}
			if !errors.Is(err, context.Canceled) || launches != number {
				t.Fatalf("%s: cancelled at launch %d of %d: %v", name, number, launches, err)
			}
		}
	}
}

// The limit holds at every size: a run either stays below it or says which
// buffer did not fit, and the peak it reports is enough.
func TestMemoryLimit(t *testing.T) {
	for name, s := range subjects() {
		device := newFake(s.kernels)
		result, err := s.run(context.Background(), device, exec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		peak := result.Peak
		if name == "groups" {
			continue // its peak is the fallback's; the hash plan before it needs more
		}
		if result, err = s.run(context.Background(), device, exec.Options{Memory: peak}); err != nil || result.Peak != peak {
			t.Errorf("%s: with its peak of %d bytes: %v", name, peak, err)
		}
		for limit := int64(1); limit < peak; limit += max(1, peak/17) {
			_, err := s.run(context.Background(), device, exec.Options{Memory: limit})
			var failed *exec.AllocError
			if !errors.As(err, &failed) || failed.Limit != limit || failed.InUse+failed.Bytes <= limit || failed.InUse > limit {
				t.Errorf("%s: limit %d of %d: %v", name, limit, peak, err)
			}
		}
		device.verify(t)
	}
	// What is allocated anew gives back what it had.
	anew := hostPlan(fresh("b"), fresh("b"), fresh("b"))
	anew.Buffers = []plan.Buffer{{Name: "b", Kind: plan.I64, Length: plan.Const(10), Role: plan.Temporary}}
	result, err := exec.Run(context.Background(), newFake(nil), anew,
		exec.Inputs{Scalars: map[string]exec.Value{"x": {Kind: plan.I64}}}, exec.Options{Memory: 80})
	if err != nil || result.Peak != 80 {
		t.Errorf("got %v, %v", result, err)
	}
	s := subjects()["ordered"]
	device := newFake(s.kernels)
	device.machine.MaxAlloc = 500
	_, err = s.run(context.Background(), device, exec.Options{})
	if want := `buffer "x": no memory for 800 bytes beside the 400 in use (limit 500): the device holds at most 500 bytes in one buffer`; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	device.verify(t)
}

func TestInputs(t *testing.T) {
	s := subjects()["ordered"]
	columns := func(change func(exec.Inputs)) exec.Inputs {
		in := exec.Inputs{Columns: map[string]exec.Column{}, Scalars: map[string]exec.Value{}}
		for name, c := range s.inputs.Columns {
			in.Columns[name] = c
		}
		change(in)
		return in
	}
	for want, in := range map[string]exec.Inputs{
		`input "x": a column of i64 is missing`: columns(func(in exec.Inputs) { delete(in.Columns, "x") }),
		`input "x": a column of f64 is given, and it has to be i64`: columns(func(in exec.Inputs) {
			in.Columns["x"] = exec.Column{Kind: plan.F64, Data: make([]byte, 800)}
		}),
		`input "x": 801 bytes are no whole number of i64`: columns(func(in exec.Inputs) {
			in.Columns["x"] = exec.Column{Kind: plan.I64, Data: make([]byte, 801)}
		}),
		`input "x": 99 rows; other columns over n have 100`: columns(func(in exec.Inputs) {
			in.Columns["x"] = exec.Column{Kind: plan.I64, Data: make([]byte, 792)}
		}),
		`input "scale": f64 is given, and it has to be i64`: columns(func(in exec.Inputs) {
			in.Scalars["scale"] = exec.Value{Kind: plan.F64}
		}),
		`input "skale": the plan has no such parameter`: columns(func(in exec.Inputs) {
			in.Scalars["skale"] = exec.Value{Kind: plan.I64}
		}),
		`input "key": the plan has no such parameter`: columns(func(in exec.Inputs) {
			in.Columns["key"] = exec.Column{Kind: plan.I32}
		}),
	} {
		device := newFake(s.kernels)
		_, err := exec.Run(context.Background(), device, s.plan, in, exec.Options{})
		device.verify(t)
		var wrong *exec.InputError
		if !errors.As(err, &wrong) || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	required := orderedPlan("none")
	required.Ports[2].Default = ""
	_, err := exec.Run(context.Background(), newFake(s.kernels), required, s.inputs, exec.Options{})
	if want := `input "scale": a scalar of i64 is missing`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Where nothing runs here and there is no fallback, the error says what is missing.
func TestUnrunnable(t *testing.T) {
	s := subjects()["ordered"]
	for want, change := range map[string]func(*plan.Plan){
		"the plan none gave up, and there is no fallback: fake lacks atomics.i64": func(p *plan.Plan) { p.Needs = []plan.Cap{"atomics.i64"} },
		`the plan none gave up, and there is no fallback: kernel "mask" has no variant for fake: mask needs work-groups of 65; the maximum is 64; fast needs subgroups; big needs 8192 bytes of local memory, of 4096`: func(p *plan.Plan) {
			v := &p.Kernels[0].Variants
			(*v)[0].Schedule.Workgroup = 65
			*v = append(*v, plan.Variant{Entry: "fast", Needs: []plan.Cap{"subgroups"}},
				plan.Variant{Entry: "big", LocalBytes: plan.Mul(plan.Resident("mask"), plan.Const(1024)), OwnBytes: 4096})
			for i := range *v {
				(*v)[i].Args = (*v)[0].Args
			}
		},
		`the plan none gave up, and there is no fallback: kernel "mask" would take 7 work-groups, and is made for at most 6`: func(p *plan.Plan) {
			p.Kernels[0].Variants[0].Grid, p.Kernels[0].Variants[0].GridLimit = plan.Const(7), 6
		},
	} {
		p := orderedPlan("none")
		change(p)
		device := newFake(s.kernels)
		_, err := exec.Run(context.Background(), device, p, s.inputs, exec.Options{})
		device.verify(t)
		var gaveUp *exec.GiveUpError
		if !errors.As(err, &gaveUp) || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// What only the data shows to be wrong ends in an error, never in a wrapped number.
func TestRunTimeErrors(t *testing.T) {
	edit := func(find func(*plan.Step) bool, change func(*plan.Step)) func(*plan.Plan) {
		return func(p *plan.Plan) {
			for i := range p.Steps {
				if find(&p.Steps[i]) {
					change(&p.Steps[i])
					return
				}
			}
			panic("no such step")
		}
	}
	isLaunch := func(s *plan.Step) bool { return s.Launch != nil }
	huge := plan.Mul(plan.Len("n"), plan.Const(math.MaxInt64/2))
	for _, test := range []struct {
		subject string
		change  func(*plan.Plan)
		want    string
	}{
		{"ordered", edit(isLaunch, func(s *plan.Step) { s.Launch.Rows = huge }), "does not fit 64 bits"},
		{"ordered", edit(isLaunch, func(s *plan.Step) { s.Launch.Rows = plan.Shl(plan.Len("n"), plan.Const(30)) }), "a launch spans 0 to 2147483647 rows, and more take a plan in parts, as kgen emit --schedule part=1073741824 makes"},
		{"ordered", edit(isLaunch, func(s *plan.Step) { s.Launch.Rows = plan.Sub(plan.Const(0), plan.Len("n")) }), "a launch spans 0 to 2147483647 rows"},
		{"ordered", func(p *plan.Plan) { p.Kernels[0].Variants[0].Grid = plan.Shl(plan.Rows(), plan.Const(40)) }, "a grid of"},
		{"ordered", func(p *plan.Plan) { p.Buffers[5].Length = huge }, "does not fit 64 bits"},
		{"ordered", func(p *plan.Plan) { p.Buffers[5].Length = plan.Shl(plan.Len("n"), plan.Const(56)) }, "does not fit 64 bits"},
		{"ordered", func(p *plan.Plan) { p.Buffers[5].Length = plan.Sub(plan.Const(0), plan.Len("n")) }, "a length of -100 elements"},
		{"ordered", func(p *plan.Plan) { p.Domains[1].Len = plan.Const(101) }, `101 rows of g, but its buffer "key" has 100`},
		{"ordered", func(p *plan.Plan) { p.Domains[1].Len = plan.Sub(plan.Const(-1), plan.Var("g")) }, "has a length of -"},
		{"ordered", edit(func(s *plan.Step) bool { return s.Read != nil }, func(s *plan.Step) { s.Read.Index = plan.Const(1) }), `read of 1 elements from 1 on of buffer "groups", which has 1`},
		{"join", func(p *plan.Plan) { p.Steps[0] = set("buckets", huge) }, `set "buckets": `},
	} {
		s := subjects()[test.subject]
		test.change(s.plan)
		device := newFake(s.kernels)
		_, err := s.run(context.Background(), device, exec.Options{})
		device.verify(t)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}

func TestEvents(t *testing.T) {
	s := subjects()["parts"]
	var steps []string
	_, err := s.run(context.Background(), newFake(s.kernels), exec.Options{PartRows: 20, Event: func(e exec.Event) {
		if e.Duration < 0 {
			t.Errorf("%+v", e)
		}
		steps = append(steps, fmt.Sprintf("%s %s %d %d %d", e.Step, e.Name, e.Workgroups, e.Rows, e.Bytes))
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := `import x 0 30 240
alloc before 0 2 16
init before 0 2 16
alloc errors 0 2 16
init errors 0 2 16
alloc after 0 2 16
alloc scan 0 30 240
alloc kept 0 30 240
launch scan_filter 1 20 0
launch scan_filter 1 10 0
checkErrors  0 2 16
read before 0 2 16
return  0 0 480`
	if got := strings.Join(steps, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestOptions(t *testing.T) {
	s := subjects()["parts"]
	for _, options := range []exec.Options{{PartRows: -1}, {PartRows: math.MaxInt64}, {Memory: -1}} {
		device := newFake(s.kernels)
		if _, err := s.run(context.Background(), device, options); err == nil || device.calls > 0 {
			t.Errorf("%+v: %v after %d calls", options, err, device.calls)
		}
	}
}

// Results go to the memory that the caller has for them.
func TestPlace(t *testing.T) {
	subject := subjects()["ordered"]
	want, err := exec.Run(context.Background(), newFake(subject.kernels), subject.plan, subject.inputs, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	places := map[string][]byte{}
	declined := ""
	got, err := exec.Run(context.Background(), newFake(subject.kernels), subject.plan, subject.inputs, exec.Options{Place: func(port string, bytes int64) []byte {
		if declined == "" {
			declined = port
			return nil
		}
		places[port] = make([]byte, bytes+100)
		return places[port]
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(places) == 0 || declined == "" {
		t.Fatalf("asked for %d places", len(places))
	}
	for port, column := range got.Columns {
		if string(column.Data) != string(want.Columns[port].Data) {
			t.Errorf("%s differs", port)
		}
		if place := places[port]; port != declined && &place[0] != &column.Data[0] {
			t.Errorf("%s lies elsewhere", port)
		}
	}
}
