package kernels

import (
	"testing"

	"github.com/kgen-go/kgen/plan"
)

// A GPU whose probe has passed takes no tickets; a CPU does, and who says so.
func TestOn(t *testing.T) {
	for _, c := range []struct {
		name     string
		emitter  Emitter
		subgroup int
		evidence plan.Evidence
		asked    string
		want     string
	}{
		{"a GPU", Emitter{}, 32, plan.Probed, "", plan.Static},
		{"a GPU, tickets", Emitter{}, 32, plan.Probed, plan.Ticket, plan.Ticket},
		{"a GPU without the probe", Emitter{}, 32, "", "", ""},
		{"a GPU that says so", Emitter{}, 32, plan.Declared, "", ""},
		{"a CPU", Emitter{}, 1, plan.Probed, "", ""},
		{"an emitter that knows", Emitter{IDs: plan.Static}, 1, "", "", plan.Static},
	} {
		m := plan.Machine{Subgroup: c.subgroup, Caps: map[plan.Cap]plan.Evidence{plan.CapStatic: c.evidence}}
		if got := c.emitter.On(m).ForDrivers(plan.Schedule{IDs: c.asked}).IDs; got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
