package calibrate

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/plan"
)

// steadyBench takes as long for each row; of every so many probes one is disturbed.
type steadyBench struct{ every, probes int }

func (*steadyBench) Compile(context.Context, []*Probe) {}

func (b *steadyBench) Time(_ context.Context, p *Probe, _ plan.Machine) (Timing, error) {
	b.probes++
	least := 1000 + p.Rows
	samples := []int64{least, least + least/50, least + least/20, least + least/20, least + least/10}
	if b.every > 0 && b.probes%b.every == 0 {
		for i := range samples[1:] {
			samples[1+i] *= 2
		}
	}
	return Timing{Seconds: float64(least) / 1e9, Predicted: float64(least) / 2e9, Samples: samples}, nil
}

// A calibration of a busy machine says so, and one in which a few samples were disturbed does not.
func TestBusyMachine(t *testing.T) {
	for _, test := range []struct {
		every int
		busy  bool
	}{{0, false}, {10, false}, {6, false}, {4, true}, {1, true}} {
		declared := plan.Machine{Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-6}}
		f, err := Measure(t.Context(), &steadyBench{every: test.every}, declared, Options{Declared: declared, Shaped: true})
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(f.Notes, "\n"); strings.Contains(notes, "busy") != test.busy {
			t.Errorf("one of %d probes disturbed: %s", test.every, notes)
		}
	}
}

// recordingBench remembers what is compiled and timed.
type recordingBench struct {
	steadyBench
	compiled, timed []*Probe
}

func (b *recordingBench) Compile(_ context.Context, list []*Probe) { b.compiled = list }

func (b *recordingBench) Time(ctx context.Context, p *Probe, m plan.Machine) (Timing, error) {
	b.timed = append(b.timed, p)
	return b.steadyBench.Time(ctx, p, m)
}

// What probes need is compiled before they are timed, each pipeline once, but for copies, which say how
// many rows the others have.
func TestCompilesOnce(t *testing.T) {
	declared := plan.Machine{Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-6}}
	for _, shaped := range []bool{false, true} {
		b := &recordingBench{}
		if _, err := Measure(t.Context(), b, declared, Options{Declared: declared, Shaped: shaped}); err != nil {
			t.Fatal(err)
		}
		if len(b.compiled) == 0 || len(b.compiled) >= len(b.timed) {
			t.Errorf("%d pipelines compiled, %d probes", len(b.compiled), len(b.timed))
		}
		for i, p := range b.compiled {
			if slices.ContainsFunc(b.compiled[:i], p.sharesKernels) {
				t.Errorf("%s is compiled twice", p.Name)
			}
		}
		most := int64(0)
		for _, p := range b.timed {
			isFirst := p.Name == "copy" || p.Name == "three launches"
			if !isFirst && !slices.ContainsFunc(b.compiled, p.sharesKernels) {
				t.Errorf("%s is not compiled before", p.Name)
			}
			most = max(most, p.Rows)
		}
		for _, p := range b.compiled {
			if p.Table == 0 && p.Rows < min(most, compiledRows) {
				t.Errorf("%s is compiled for %d rows alone", p.Name, p.Rows)
			}
		}
	}
}

// Small tables are measured in global memory where that is apart from caches: on devices with subgroups.
func TestTablesOfCores(t *testing.T) {
	for subgroup, small := range map[int]bool{1: false, 32: true} {
		b := &recordingBench{}
		declared := plan.Machine{Subgroup: subgroup, Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-6}}
		f, err := Measure(t.Context(), b, declared, Options{Declared: declared, Shaped: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Machine.Curves[plan.CurveAtomic][0].Bytes <= elementBytes*cachedTable; got != small {
			t.Errorf("subgroups of %d: the smallest table in global memory has %d bytes", subgroup, f.Machine.Curves[plan.CurveAtomic][0].Bytes)
		}
	}
}

// A figure that is the difference of two searches comes from times that were taken one right after the other.
func TestSearchesInTurns(t *testing.T) {
	b := &recordingBench{}
	declared := plan.Machine{Subgroup: 1, Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-6}}
	f, err := Measure(t.Context(), b, declared, Options{Declared: declared})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range b.timed {
		if p.Name != searchProbe("none", 1, 1).Name {
			continue
		}
		if next := b.timed[i+1]; next.Name != searchProbe("onepass", 1, 1).Name || next.Table != p.Table {
			t.Errorf("%s of %d rows is followed by %s of %d", p.Name, p.Table, next.Name, next.Table)
		}
	}
	if search, hashed := f.Machine.Curves[plan.CurveSearch], f.Machine.Curves[plan.CurveHashed]; len(search) < 3 || len(hashed) != len(search) {
		t.Errorf("searches by %v, %v more with hashes", search, hashed)
	}
}

// disturbedBench is one whose machine does much else during the first probes.
type disturbedBench struct{ steadyBench }

func (b *disturbedBench) Time(ctx context.Context, p *Probe, m plan.Machine) (Timing, error) {
	t, err := b.steadyBench.Time(ctx, p, m)
	if b.probes <= 12 {
		t.Seconds *= 7
	}
	return t, err
}

// What disturbs some probes for a while does not go into rates: each is measured twice.
func TestDisturbedForAWhile(t *testing.T) {
	declared := plan.Machine{Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-6}}
	o := Options{Declared: declared, Shaped: true}
	quiet, err := Measure(t.Context(), &steadyBench{}, declared, o)
	if err != nil {
		t.Fatal(err)
	}
	disturbed, err := Measure(t.Context(), &disturbedBench{}, declared, o)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := disturbed.Machine, quiet.Machine; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
}

// dearBench predicts quotients as dear unless they have a time of their own.
type dearBench struct{ steadyBench }

func (b *dearBench) Time(ctx context.Context, p *Probe, m plan.Machine) (Timing, error) {
	t, err := b.steadyBench.Time(ctx, p, m)
	if _, isKnown := m.Rates[plan.RateQuotient]; p.sharesKernels(ptr(quotientProbe(p.Rows))) && !isKnown {
		t.Predicted = 2 * t.Seconds
	}
	return t, err
}

func ptr(p Probe) *Probe { return &p }

// Quotients of floats are measured where work-groups run in turn, and not predicted by what they are to replace.
func TestQuotients(t *testing.T) {
	for most, isMeasured := range map[int]bool{1: false, 4096: true} {
		declared := plan.Machine{Subgroup: 1, MaxWorkgroup: most, Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-6}}
		f, err := Measure(t.Context(), &dearBench{}, declared, Options{Declared: declared, Shaped: most > 1})
		if err != nil {
			t.Fatal(err)
		}
		if seconds, ok := f.Machine.Rates[plan.RateQuotient]; ok != isMeasured || ok && seconds <= 0 {
			t.Errorf("work-groups of up to %d: a quotient takes %g s, measured: %t", most, seconds, ok)
		}
	}
}
