package build

import (
	"testing"

	"github.com/kgen-go/kgen/plan"
)

// Devices of OpenCL run PTX only where a probe has shown that it works.
func TestBackendOf(t *testing.T) {
	able := plan.Machine{Caps: map[plan.Cap]plan.Evidence{plan.CapInlinePTX: plan.Probed}}
	for _, c := range []struct {
		kind    string
		machine plan.Machine
		want    string
	}{
		{"opencl", plan.Machine{}, "opencl"}, {"opencl", able, "opencl-ptx"}, {"cuda", able, "cuda"}, {"cudaemu", plan.Machine{}, "cuda"},
		{"gocpu", plan.Machine{}, "gocpu"}, {"interp", plan.Machine{}, ""},
	} {
		if got := BackendOf(c.kind, c.machine); got != c.want {
			t.Errorf("%s: %q, want %q", c.kind, got, c.want)
		}
	}
}
