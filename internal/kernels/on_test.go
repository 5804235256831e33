package kernels

import (
	"maps"
	"testing"

	"github.com/kgen-go/kgen/internal/ctext"
	"github.com/kgen-go/kgen/plan"
)

// A GPU whose probe has passed takes no tickets; a CPU does, and who says so.
func TestOn(t *testing.T) {
	plain := Emitter{Dialect: &ctext.Dialect{}}
	for _, c := range []struct {
		name     string
		emitter  Emitter
		subgroup int
		evidence plan.Evidence
		asked    string
		want     string
	}{
		{"a GPU", plain, 32, plan.Probed, "", plan.Static},
		{"a GPU, tickets", plain, 32, plan.Probed, plan.Ticket, plan.Ticket},
		{"a GPU without the probe", plain, 32, "", "", ""},
		{"a GPU that says so", plain, 32, plan.Declared, "", ""},
		{"a CPU", plain, 1, plan.Probed, "", ""},
		{"an emitter that knows", Emitter{Dialect: &ctext.Dialect{}, IDs: plan.Static}, 1, "", "", plan.Static},
	} {
		m := plan.Machine{Subgroup: c.subgroup, Caps: map[plan.Cap]plan.Evidence{plan.CapStatic: c.evidence}}
		if got := c.emitter.On(m).ForDrivers(plan.Schedule{IDs: c.asked}).IDs; got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		m.MaxWorkgroup, m.Units = 1024, 6
		cores := 0
		if c.subgroup == 1 {
			cores = m.Units
		}
		if got := c.emitter.On(m).Target().Cores; got != cores {
			t.Errorf("%s: %d cores that run the work-items of a work-group one after the other, want %d", c.name, got, cores)
		}
	}
}

// withStatic adds that work-groups start in the order of their numbers.
func withStatic(caps map[plan.Cap]plan.Evidence) map[plan.Cap]plan.Evidence {
	all := map[plan.Cap]plan.Evidence{plan.CapStatic: plan.Probed}
	maps.Copy(all, caps)
	return all
}

// Kernels for a device have no more local memory than it has, and those with what a capability adds are for
// machines that have it.
func TestOnMachines(t *testing.T) {
	usual, able := &ctext.Dialect{LaunchedLocal: 200 << 10}, &ctext.Dialect{LaunchedLocal: 100 << 10}
	e := Emitter{Backend: "usual", Dialect: usual, With: map[plan.Cap]Emitter{plan.CapInlinePTX: {Backend: "able", Dialect: able}}}
	for _, c := range []struct {
		local    int64
		caps     map[plan.Cap]plan.Evidence
		backend  string
		launched int64
	}{
		{0, nil, "usual", 200 << 10},
		{300 << 10, nil, "usual", 200 << 10},
		{163 << 10, nil, "usual", 163 << 10},
		{163 << 10, map[plan.Cap]plan.Evidence{plan.CapInlinePTX: plan.Probed}, "able", 100 << 10},
		{64 << 10, map[plan.Cap]plan.Evidence{plan.CapInlinePTX: plan.Probed}, "able", 64 << 10},
	} {
		on := e.On(plan.Machine{LocalBytes: c.local, Caps: c.caps})
		if static := e.On(plan.Machine{Subgroup: 32, LocalBytes: c.local, Caps: withStatic(c.caps)}); static.Backend != c.backend || static.IDs != plan.Static {
			t.Errorf("%v: backend %s numbers tiles by %q where work-groups start in order", c.caps, static.Backend, static.IDs)
		}
		if on.Backend != c.backend || on.Target().LaunchedLocal != c.launched {
			t.Errorf("%d bytes, %v: backend %s with %d, want %s with %d", c.local, c.caps, on.Backend, on.Target().LaunchedLocal, c.backend, c.launched)
		}
	}
	if usual.LaunchedLocal != 200<<10 {
		t.Error("the emitter itself has changed")
	}
}
