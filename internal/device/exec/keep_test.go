package exec_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/plan"
)

// copying is a device that copies within its memory.
type copying struct {
	*fake
	copies int
}

func (c *copying) Copy(to, from exec.Memory, bytes int64) error {
	c.copies++
	copy(c.use(to, "copy").data, c.use(from, "copy").data[:bytes])
	return c.call()
}

// keptPlan is ordered aggregation that also returns a parameter, and a result twice.
func keptPlan() *plan.Plan {
	p := orderedPlan("paper2")
	p.Ports = append(p.Ports, plan.Port{Name: "again", Direction: plan.Out, Kind: plan.I32, Domain: "n", Buffer: "k"},
		plan.Port{Name: "twice", Direction: plan.Out, Kind: plan.I64, Domain: "g", Buffer: "total"})
	return p
}

func keepAll(string) bool { return true }

// Results that stay on the device have what others have, whoever else uses their buffer;
// their memory is the caller's, and what arguments were lent stays theirs.
func TestKeep(t *testing.T) {
	inputs, _ := orderedData(500, 9)
	want, err := exec.Run(t.Context(), newFake(orderedKernels), keptPlan(), inputs, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, able := range []bool{false, true} {
		f := newFake(orderedKernels)
		var d exec.Device = f
		if able {
			d = &copying{fake: f}
		}
		lent := exec.Inputs{Columns: map[string]exec.Column{}, Scalars: inputs.Scalars}
		var memories []exec.Memory
		for name, column := range inputs.Columns {
			m, err := f.Import(bytes.Clone(column.Data))
			if err != nil {
				t.Fatal(err)
			}
			memories = append(memories, m)
			lent.Columns[name] = exec.Column{Kind: column.Kind, Resident: &exec.Resident{Memory: m, Bytes: int64(len(column.Data))}}
		}
		result, err := exec.Run(t.Context(), d, keptPlan(), lent, exec.Options{Keep: keepAll})
		if err != nil {
			t.Fatal(err)
		}
		for name, column := range want.Columns {
			kept := result.Columns[name]
			if kept.Resident == nil || kept.Data != nil || kept.Rows() != column.Rows() {
				t.Fatalf("%s: %+v", name, kept)
			}
			if got := kept.Resident.Memory.(*memory).data[:kept.Resident.Bytes]; !slices.Equal(got, column.Data) {
				t.Errorf("%s: % x, want % x", name, got, column.Data)
			}
			f.Free(kept.Resident.Memory)
		}
		for _, m := range memories {
			f.Free(m)
		}
		f.verify(t)
	}
}

// Whichever call of the device fails, nothing is left behind.
func TestKeepFails(t *testing.T) {
	inputs, _ := orderedData(100, 9)
	for calls := 1; ; calls++ {
		f := newFake(orderedKernels)
		f.lostAfter = calls
		result, err := exec.Run(t.Context(), f, keptPlan(), inputs, exec.Options{Keep: keepAll})
		if err == nil {
			for _, column := range result.Columns {
				f.Free(column.Resident.Memory)
			}
			f.verify(t)
			if calls < 10 {
				t.Errorf("%d calls are enough", calls)
			}
			return
		}
		f.verify(t)
	}
}
