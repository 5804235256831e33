package calibrate

import (
	"context"
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
