package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/kgen-go/kgen"
	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/internal/calibrate"
	"github.com/kgen-go/kgen/plan"
)

// modelBench is a device whose times are those that the model predicts for a machine.
type modelBench struct {
	machine plan.Machine
	backend string // "" is opencl
	fails   string // a part of the name of a probe that does not run
}

func (modelBench) Compile(context.Context, []*calibrate.Probe) {}

func (b modelBench) Time(_ context.Context, p *calibrate.Probe, m plan.Machine) (t calibrate.Timing, err error) {
	if b.fails != "" && strings.Contains(p.Name, b.fails) {
		return t, errors.New("there is no such operation")
	}
	s, err := loadText("probe.kg", "", []byte(p.Text), false, io.Discard)
	if err != nil {
		return t, err
	}
	schedule, err := build.ParseSchedule(p.Schedule)
	if err != nil {
		return t, err
	}
	_, fused, err := build.CompileFor(s, s.Pipelines[0], m, cmp.Or(b.backend, "opencl"), p.Level, schedule)
	if err != nil {
		return t, err
	}
	lengths := map[string]int64{"n": p.Rows, "m": p.Table, "place": p.Table}
	truth := b.machine
	truth.Rates = map[string]float64{}
	for name, rate := range b.machine.Rates {
		if name != plan.RateBranch || strings.Contains(p.Name, "chance") { // what is foreseen costs nothing
			truth.Rates[name] = rate
		}
	}
	truth.Curves = map[string]plan.Curve{}
	for name, curve := range b.machine.Curves {
		if name != plan.CurveLocal || schedule.Table != plan.Global {
			truth.Curves[name] = curve
		}
	}
	if t.Seconds, err = predict(fused, truth, lengths); err != nil {
		return t, err
	}
	t.Predicted, err = predict(fused, m, lengths)
	return t, err
}

// Of a device that behaves as the model says, calibration finds the rates.
func TestCalibrationFindsRates(t *testing.T) {
	truth := plan.Machine{Subgroup: 32, Units: 8,
		Rates: map[string]float64{plan.RateMemory: 3e11, plan.RateLaunch: 2e-6, plan.RateOperator: 2e-13, plan.RateDear: 4e-12, plan.RateScan: 3e-11, plan.RatePrefix: 1.5e-6, plan.RateLookback: 2e-11, plan.RateSelect: 5e-12, plan.RateBranch: 7e-12,
			plan.RateCall: 3e-6, plan.RateBeside: 8e-12, plan.RateWaiting: 3e-12, plan.RateStoring: 6e-12, plan.RateClosing: 9e-12},
		Curves: map[string]plan.Curve{
			plan.CurveGather: {{Bytes: 1 << 13, Seconds: 1e-11}, {Bytes: 1 << 27, Seconds: 3e-10}},
			plan.CurveLocal:  {{Bytes: 1 << 14, Seconds: 4e-12}},
			plan.CurveAtomic: {{Bytes: 1 << 7, Seconds: 9e-11}, {Bytes: 1 << 26, Seconds: 4e-10}},
		},
	}
	_, declared := profileOf(true)
	f, err := calibrate.Measure(t.Context(), modelBench{machine: truth}, plan.Machine{Device: "a chip", Subgroup: 32, Units: 8}, calibrate.Options{Declared: declared, Shaped: true})
	if err != nil {
		t.Fatal(err)
	}
	near := func(what string, got, want float64) {
		if math.Abs(got/want-1) > 0.02 {
			t.Errorf("%s: %g, not %g", what, got, want)
		}
	}
	for name, want := range truth.Rates {
		near(name, f.Machine.Rates[name], want)
	}
	for name, want := range truth.Curves {
		if len(f.Machine.Curves[name]) < 3 {
			t.Errorf("%s: %v", name, f.Machine.Curves[name])
		}
		for _, p := range f.Machine.Curves[name] {
			near(name, p.Seconds, want.At(float64(p.Bytes)))
		}
	}
	if len(f.Notes) != 1 || f.Machine.Device != "measured: a chip" || f.Machine.Subgroup != 32 {
		t.Errorf("%+v", f)
	}
}

// Of cores that behave as the model says, it finds what loops and searches take, too.
func TestCalibrationOfCores(t *testing.T) {
	truth := plan.Machine{Subgroup: 1, Units: 1,
		Rates: map[string]float64{plan.RateMemory: 3e10, plan.RateLaunch: 2e-7, plan.RateOperator: 1e-10, plan.RateDear: 2e-9, plan.RateLoop: 3e-10, plan.RateCall: 1e-6},
		Curves: map[string]plan.Curve{
			plan.CurveGather: {{Bytes: 1 << 13, Seconds: 1e-10}, {Bytes: 1 << 27, Seconds: 3e-9}},
			plan.CurveAtomic: {{Bytes: 1 << 7, Seconds: 9e-10}, {Bytes: 1 << 26, Seconds: 4e-9}},
			plan.CurveSearch: {{Bytes: 1 << 12, Seconds: 5e-9}, {Bytes: 1 << 24, Seconds: 4e-8}},
			plan.CurveHashed: {{Bytes: 1 << 16, Seconds: 1e-9}, {Bytes: 1 << 24, Seconds: 5e-8}},
		},
	}
	_, declared := profileOf(false)
	f, err := calibrate.Measure(t.Context(), modelBench{machine: truth, backend: "gocpu"}, plan.Machine{Device: "cores", Subgroup: 1, Units: 1}, calibrate.Options{Declared: declared})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{plan.RateMemory, plan.RateOperator, plan.RateLoop} {
		if got, want := f.Machine.Rates[name], truth.Rates[name]; math.Abs(got/want-1) > 0.1 { // the byte of a row is timed as if copies had no loop
			t.Errorf("%s: %g, not %g", name, got, want)
		}
	}
	for _, name := range []string{plan.CurveSearch, plan.CurveHashed} {
		if len(f.Machine.Curves[name]) < 3 {
			t.Errorf("%s: %v", name, f.Machine.Curves[name])
		}
		for _, p := range f.Machine.Curves[name] {
			if want := truth.Curves[name].At(float64(p.Bytes)); math.Abs(p.Seconds/want-1) > 0.1 {
				t.Errorf("%s of %d bytes: %g, not %g", name, p.Bytes, p.Seconds, want)
			}
		}
	}
}

// What cannot be measured has a note, and the rest is measured; without launches and memory
// there is nothing.
func TestCalibrationNotesWhatFails(t *testing.T) {
	truth := plan.Machine{Rates: map[string]float64{plan.RateMemory: 3e11, plan.RateLaunch: 2e-6}}
	options := calibrate.Options{Declared: plan.Profiles()[plan.DefaultProfile], Quick: true}
	f, err := calibrate.Measure(t.Context(), modelBench{machine: truth, fails: "gather"}, plan.Machine{}, options)
	if err != nil {
		t.Fatal(err)
	}
	if f.Machine.Curves[plan.CurveGather] != nil || f.Machine.Curves[plan.CurveAtomic] == nil || len(f.Notes) != 3 || !strings.Contains(f.Notes[0], "gather of a table of 8192 bytes was not measured") {
		t.Errorf("%q, %v", f.Notes, f.Machine.Curves)
	}
	if _, err := calibrate.Measure(t.Context(), modelBench{machine: truth, fails: "copy"}, plan.Machine{}, options); err == nil {
		t.Error("a device that does not copy was calibrated")
	}
}

// deciding is a machine on which a scan in a kernel of its own is all but free, and one
// across the grid is dear: level auto then takes another plan than on a declared one.
func deciding() plan.Machine {
	return plan.Machine{Device: "measured: a test", Units: 2, Subgroup: 1, Rates: map[string]float64{plan.RateMemory: 1e15, plan.RateLaunch: 1e-9, plan.RateLookback: 1e-6},
		Curves: map[string]plan.Curve{plan.CurveGather: {{Bytes: 8, Seconds: 0}}}}
}

// What was measured is kept by device and driver, and commands for the device take it. emit
// does not, unless it is asked to.
func TestKeptMachine(t *testing.T) {
	t.Setenv("KGEN_CACHE", t.TempDir())
	writeFiles(t, map[string]string{"p.kg": "pipeline p(x: [n]i64) { return y: scan(add, x) }\n", "x.csv": "x\n1\n2\n"})
	of := func(args ...string) string {
		t.Helper()
		code, out, errs := execute("", args...)
		if code != exitOK {
			t.Fatalf("%v: %s", args, errs)
		}
		return out
	}
	device, err := kgen.Open(t.Context(), "gocpu")
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	self, err := device.Machine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const declared = "machine   declared: 2 cores"
	before := of("emit", "p.kg", "--after", "fuse")
	if calibrate.Any() || !strings.Contains(of("explain", "p.kg"), declared) {
		t.Error("a machine was kept before")
	}
	f := &calibrate.File{Version: 1, Name: "gocpu", Machine: deciding()}
	other := self
	other.Driver = "go of another version"
	if _, err := f.Keep(other); err != nil {
		t.Fatal(err)
	}
	if !calibrate.Any() || !strings.Contains(of("explain", "p.kg"), declared) {
		t.Error("what another driver was measured with is taken")
	}
	path, err := f.Keep(self)
	if err != nil {
		t.Fatal(err)
	}
	if text := of("explain", "p.kg"); !strings.Contains(text, "machine   measured: a test") || !strings.Contains(text, "at level auto: 2 kernels,") {
		t.Errorf("%s", text)
	}
	if text := of("explain", "p.kg", "--machine", "declared"); !strings.Contains(text, declared) || !strings.Contains(text, "at level auto: 1 kernel,") {
		t.Errorf("%s", text)
	}
	for machine, kernels := range map[string]int{"": 2, "declared": 1, path: 2} {
		text := of("run", "p.kg", "--in", "x.csv", "--json", "--machine", machine)
		if n := strings.Count(text, `"stages":`); n != kernels {
			t.Errorf("run with machine %q: %d kernels, not %d: %s", machine, n, kernels, text)
		}
	}
	if after := of("emit", "p.kg", "--after", "fuse"); after != before {
		t.Errorf("emit follows what was measured: %s", after)
	}
	if after := of("emit", "p.kg", "--after", "fuse", "--machine", path); after == before {
		t.Errorf("emit does not follow the machine it is given: %s", after)
	}
}
