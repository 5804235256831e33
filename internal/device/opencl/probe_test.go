//go:build opencl

package opencl

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/kgen-go/kgen/plan"
)

// newProber opens the first device for the parts of a probe.
func newProber(t *testing.T) *prober {
	s := openSession(t, New())
	p := &prober{session: s, facts: s.device.facts, limit: 1000}
	p.probed.Machine = s.device.machine
	return p
}

// A result that an earlier kgen has cached in another form is no result: what it
// named otherwise would read as 0, and no kernel would fit the device.
func TestProbeResultOfAnotherForm(t *testing.T) {
	now := probed{Machine: plan.Machine{Device: "d", MaxWorkgroup: 256, Caps: map[plan.Cap]plan.Evidence{}}}
	text, err := json.Marshal(now)
	if err != nil {
		t.Fatal(err)
	}
	var p probed
	if err := p.decode(text); err != nil || p.Machine.MaxWorkgroup != 256 {
		t.Errorf("%s: %v, %d work-items", text, err, p.Machine.MaxWorkgroup)
	}
	old := strings.Replace(string(text), "maxWorkgroup", "maxGroup", 1)
	for _, text := range []string{old, "{}", strings.Replace(string(text), "256", "0", 1)} {
		if err := p.decode([]byte(text)); err == nil {
			t.Errorf("%s was taken for a result", text)
		}
	}
}

func TestLargestLocalArray(t *testing.T) {
	p := newProber(t)
	ctx := context.Background()
	if !p.tryLocal(ctx, 8) {
		t.Fatal("an array of 8 KiB does not work")
	}
	if got := p.largestLocal(ctx, 1, 9); got != 8 {
		t.Errorf("the largest array below 9 KiB has %d", got)
	}
	if p.tryLocal(ctx, -1) {
		t.Error("a kernel that does not build works")
	}
}

// A wait takes as long as it is meant to, the time to compile its text left out.
func TestWaitsTakeTheirTime(t *testing.T) {
	p := newProber(t)
	ctx := context.Background()
	if err := p.calibrate(ctx); err != nil {
		t.Fatal(err)
	}
	elapsed, err := p.spin(ctx, p.limit)
	if err != nil {
		t.Fatal(err)
	}
	if elapsed < waitTime/10 || elapsed > 10*waitTime {
		t.Errorf("%d looks took %v, not about %v", p.limit, elapsed, waitTime)
	}
}

// Waits that cannot end are given up, and the groups drain.
func TestWaitsAreBounded(t *testing.T) {
	p := newProber(t)
	ctx := context.Background()
	if p.isCPU {
		// More groups than threads: those that have not started never meet.
		if met, err := p.meet(ctx, 64*p.units, 16, 64, 1000); met || err != nil {
			t.Errorf("met %v, %v", met, err)
		}
	}
	if done, err := p.chain(ctx, 100, 16, 1, 1<<30); err != nil || !done {
		t.Errorf("a chain with patience: %v, %v", done, err)
	}
}

func TestFloatCases(t *testing.T) {
	a, b := floatCases()
	if len(a) != len(b) || len(a)%64 != 0 {
		t.Fatalf("%d and %d cases", len(a), len(b))
	}
	// Dividing by the reciprocal is what inexact devices do: the cases show it.
	wrong, denormal := 0, 0
	for i := range a {
		if q := a[i] * (1 / b[i]); math.Float32bits(q) != math.Float32bits(a[i]/b[i]) && q == q {
			wrong++
		}
		if isDenormal(a[i]) || isDenormal(a[i]*b[i]) {
			denormal++
		}
	}
	if wrong < 1000 || denormal < 10 {
		t.Errorf("%d cases show division by the reciprocal, %d have denormals", wrong, denormal)
	}
}
