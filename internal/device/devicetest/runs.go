//go:build unix

package devicetest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/plan"
)

// sizes are none, one, one tile and one more, several tiles and some; the last
// ones cross in shared memory.
var sizes = []int{0, 1, 64, 65, 7*512 + 7, 20011}

func (s *Suite) mapWithCheck(t *testing.T) {
	c := s.Device(t)
	for _, n := range sizes {
		a, b, want := make([]int64, n), make([]int64, n), make([]int64, n)
		for i := range n {
			a[i], b[i] = int64(i)*1e12-77, int64(i%9)-20
			want[i] = a[i] / b[i]
		}
		columns := map[string]exec.Column{"a": column(plan.I64, a), "b": column(plan.I64, b)}
		result := MustRun(t, c, s.Request(dividePlan(), columns))
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
		_, err := c.Run(context.Background(), s.Request(dividePlan(), columns))
		var failed *exec.CheckError
		if !errors.As(err, &failed) || failed.Row != int64(n/2) || failed.Site.Position != "divide.kg:3:7" {
			t.Errorf("n=%d: got %v, want row %d", n, err, n/2)
		}
	}
}

// A kernel is compiled when it is launched, without the others, and errors name lines of the
// whole text.
func (s *Suite) onlyWhatIsLaunched(t *testing.T) {
	c := s.Device(t)
	p := dividePlan()
	p.Kernels = append(p.Kernels, kernel("broken", plan.Schedule{Workgroup: 64}, inout("quotient"), inout("errors")))
	p.Steps = slices.Insert(p.Steps, len(p.Steps)-2, plan.Step{If: &plan.If{Cond: plan.Lt(plan.Const(2), rows), Then: []plan.Step{launch("broken", rows)}}})
	r := s.Request(p, map[string]exec.Column{"a": column(plan.I64, []int64{6, 8}), "b": column(plan.I64, []int64{2, 2})})
	r.Texts[File] += "\n" + strings.ReplaceAll(s.Wrong, "grow", "broken")
	if got := values[int64](MustRun(t, c, r).Columns["quotient"]); !slices.Equal(got, []int64{3, 4}) {
		t.Errorf("got %v", got)
	}
	r.Inputs.Columns = map[string]exec.Column{"a": column(plan.I64, []int64{6, 8, 9}), "b": column(plan.I64, []int64{2, 2, 3})}
	_, err := c.Run(context.Background(), r)
	var build *worker.BuildError
	if want := strings.Count(s.Kernels, "\n") + 1 + 5; !errors.As(err, &build) || build.Kernel != "broken" || build.Line != want || build.Text != "count[0] = unheard_of;" {
		t.Errorf("got %v, want an error in line %d", err, want)
	}
	s.StillWorks(t, c)
}

func (s *Suite) reduceThroughLocalMemory(t *testing.T) {
	c := s.Device(t)
	for _, n := range sizes {
		x, want := make([]int64, n), int64(0)
		for i := range n {
			x[i] = int64(i)<<32 - 5
			want += x[i]
		}
		result := MustRun(t, c, s.Request(reducePlan(), map[string]exec.Column{"x": column(plan.I64, x)}))
		if got := int64(result.Scalars["total"].Bits); got != want {
			t.Errorf("n=%d: total %d, want %d", n, got, want)
		}
		// In parts, as more rows than a launch spans would be.
		r := s.Request(partsPlan(7777), map[string]exec.Column{"x": column(plan.I64, x)})
		r.Trace = true
		result = MustRun(t, c, r)
		launches := 0
		for _, step := range result.Steps {
			if step.Step == "launch" {
				launches++
			}
		}
		if got := int64(result.Scalars["total"].Bits); got != want || launches != (n+7776)/7777 {
			t.Errorf("n=%d in %d parts: total %d, want %d", n, launches, got, want)
		}
	}
}

// A device without a capability runs the fallback, and the result says so.
func (s *Suite) fallbackWithoutCapability(t *testing.T) {
	p := scanPlan(1 << 30)
	p.Kernels[0].Variants[0].Needs = []plan.Cap{"wings"}
	result := MustRun(t, s.Device(t), s.Request(p, map[string]exec.Column{"x": column(plan.I32, []int32{1, 2, 3})}))
	if got := values[int64](result.Columns["sums"]); !slices.Equal(got, []int64{1, 3, 6}) || result.Level != "slow" {
		t.Errorf("%v by %s", got, result.Level)
	}
	if len(result.GaveUp) != 1 || !strings.Contains(result.GaveUp[0].Reason, "scan needs wings") {
		t.Errorf("gave up: %v", result.GaveUp)
	}
}

func (s *Suite) lookbackAndItsFallback(t *testing.T) {
	c := s.Device(t)
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
			result := MustRun(t, c, s.Request(scanPlan(c1.patience), map[string]exec.Column{"x": column(plan.I32, x)}))
			if got := values[int64](result.Columns["sums"]); !slices.Equal(got, want) {
				t.Errorf("n=%d patience %d: wrong sums", n, c1.patience)
			}
			if n > 64 && result.Level != c1.level {
				t.Errorf("n=%d patience %d: the level %s ran, want %s", n, c1.patience, result.Level, c1.level)
			}
		}
	}
}

func (s *Suite) while(t *testing.T) {
	result := MustRun(t, s.Device(t), s.Request(GrowPlan(), nil))
	if size, count := result.Scalars["size"].Bits, result.Scalars["count"].Bits; size != 128 || count != 128 {
		t.Errorf("size %d, count %d, want 128", size, count)
	}
}

// Scalars of all kinds arrive as the elements of a column.
func (s *Suite) scalars(t *testing.T) {
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
	r := s.Request(p, nil)
	r.Inputs.Scalars = map[string]exec.Value{}
	for name, v := range in {
		if name != "value" {
			r.Inputs.Scalars[name] = v
		}
	}
	result := MustRun(t, s.Device(t), r)
	for name, want := range in {
		if got := result.Columns["o"+name].Data; string(got) != string(want.Bytes()) {
			t.Errorf("%s: % x, want % x", name, got, want.Bytes())
		}
	}
}

func (s *Suite) stepsCarryDeviceTime(t *testing.T) {
	x := make([]int32, 300_000)
	r := s.Request(scanPlan(1<<30), map[string]exec.Column{"x": column(plan.I32, x)})
	r.Trace = true
	result := MustRun(t, s.Device(t), r)
	device := map[string]int64{} // nanoseconds by kind of step
	var names []string
	opened, compiled := 0, 0
	for _, step := range result.Steps {
		switch step.Step {
		case worker.StepOpen, worker.StepProbe:
			opened++
			continue
		case worker.StepCompile, worker.StepCached:
			compiled++
			continue
		}
		names = append(names, step.Step+" "+step.Name)
		device[step.Step] += step.Device
		if step.Host <= 0 {
			t.Errorf("%s %s took no time", step.Step, step.Name)
		}
	}
	want := []string{"import x", "alloc sums", "init sums", "alloc status", "init status", "alloc ticket", "init ticket", "alloc abort", "init abort",
		"launch scan", "checkErrors ", "return "}
	if !slices.Equal(names, want) || opened != 1 || compiled != 1 {
		t.Errorf("steps %q, want %q; the device was opened in %d more, and kernels were compiled in %d", names, want, opened, compiled)
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

// repeat does a look-back again, which needs its status and ticket filled each time.
func (s *Suite) repeat(t *testing.T) {
	x := make([]int32, 30_000)
	for i := range x {
		x[i] = int32(i % 7)
	}
	r := s.Request(scanPlan(1<<30), map[string]exec.Column{"x": column(plan.I32, x)})
	device := s.Device(t)
	want := MustRun(t, device, r)
	r.Repeat = 3
	got := MustRun(t, device, r)
	if !slices.Equal(got.Columns["sums"].Data, want.Columns["sums"].Data) {
		t.Error("repeated, the scan has other results")
	}
	if len(got.Times) != 3 || slices.Min(got.Times) <= 0 || len(got.GaveUp) > 0 {
		t.Errorf("times %v, gave up %v", got.Times, got.GaveUp)
	}
}
