//go:build unix

package devicetest

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/plan"
)

// Again runs plans in turns, so many times, each over other rows in other memory by one of the
// sessions of a device: nothing that a driver keeps from run to run shows.
func Again(t *testing.T, times int, sessions ...worker.Session) {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	runners := map[string]*exec.Runner{}
	for name, p := range map[string]*plan.Plan{"reduce": reducePlan(), "parts": partsPlan(700), "divide": dividePlan(), "scan": scanPlan(1 << 30), "grow": GrowPlan(), "branches": branchesPlan()} {
		runners[name] = exec.NewRunner(p)
	}
	names := []string{"reduce", "parts", "divide", "scan", "grow", "reduce", "branches"}
	type held struct {
		s worker.Session
		m exec.Memory
	}
	var kept []held
	free := func() {
		for _, k := range kept {
			k.s.Free(k.m)
		}
		kept = nil
	}
	defer free()
	for round := range times {
		s := sessions[random.IntN(len(sessions))]
		name, n := names[random.IntN(len(names))], random.IntN(3000)
		wide, narrow, sums := make([]int64, n), make([]int32, n), make([]int64, n)
		total := int64(0)
		for i := range n {
			narrow[i] = random.Int32N(1 << 20)
			wide[i] = int64(narrow[i])
			total += wide[i]
			sums[i] = total
		}
		in := exec.Inputs{Columns: map[string]exec.Column{"x": column(plan.I64, wide)}}
		switch name {
		case "scan":
			in.Columns["x"] = column(plan.I32, narrow)
		case "grow":
			in.Columns = nil
		case "divide", "branches":
			in.Columns = map[string]exec.Column{"a": column(plan.I64, sums), "b": column(plan.I64, wide)}
			for i := range wide {
				wide[i] |= 1
			}
		}
		result, err := runners[name].Run(context.Background(), s, in, exec.Options{})
		if err != nil {
			t.Fatalf("run %d, %s over %d rows: %v", round, name, n, err)
		}
		right := true
		switch name {
		case "reduce", "parts":
			right = int64(result.Scalars["total"].Bits) == total
		case "grow":
			right = result.Scalars["size"].Bits == 128
		case "scan":
			right = slices.Equal(values[int64](result.Columns["sums"]), sums) || n == 0
		case "branches":
			all, quotients := int64(0), int64(0)
			for i := range wide {
				all, quotients = all+sums[i], quotients+sums[i]/wide[i]
			}
			right = int64(result.Scalars["total_a"].Bits) == all && int64(result.Scalars["total_quotient"].Bits) == quotients
		case "divide":
			for i, got := range values[int64](result.Columns["quotient"]) {
				right = right && got == sums[i]/wide[i]
			}
		}
		if !right {
			t.Fatalf("run %d: %s over %d rows is wrong", round, name, n)
		}
		if m, err := s.Alloc(1 + random.Int64N(1000)); err == nil { // other memory from run to run
			kept = append(kept, held{s, m})
		}
		if len(kept) > 50 {
			free()
		}
	}
}
