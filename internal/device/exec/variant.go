package exec

import (
	"fmt"

	"github.com/kgen-go/kgen/plan"
)

// prepare checks the machine and selects a variant of every kernel before any
// work is done.
func (r *run) prepare() error {
	for _, c := range r.plan.Needs {
		if !r.machine.Has(c) {
			return r.giveUp("%s lacks %s", r.machine.Device, c)
		}
	}
	for i := range r.plan.Kernels {
		if _, err := r.variant(r.plan.Kernels[i].Name); err != nil {
			return err
		}
	}
	return nil
}

// variant returns the first variant of a kernel that the device can run.
func (r *run) variant(kernel string) (*plan.Variant, error) {
	if v := r.chosen[kernel]; v != nil {
		return v, nil
	}
	k := r.kernels[kernel]
	var reasons []string
	for i := range k.Variants {
		// The expressions that obstacle evaluates may use resident(kernel) of itself.
		r.chosen[kernel] = &k.Variants[i]
		reason, err := r.obstacle(&k.Variants[i])
		if err != nil {
			return nil, fmt.Errorf("kernel %q: %w", kernel, err)
		}
		if reason == "" {
			return &k.Variants[i], nil
		}
		reasons = append(reasons, fmt.Sprintf("%s %s", k.Variants[i].Entry, reason))
	}
	return nil, r.giveUp("%s", unrunnable(kernel, r.machine, reasons))
}

// obstacle says why the device cannot run a variant, or "".
func (r *run) obstacle(v *plan.Variant) (string, error) {
	for _, c := range v.Needs {
		if !r.machine.Has(c) {
			return "needs " + string(c), nil
		}
	}
	if v.Schedule.Workgroup > r.machine.MaxWorkgroup {
		return fmt.Sprintf("needs work-groups of %d; the maximum is %d", v.Schedule.Workgroup, r.machine.MaxWorkgroup), nil
	}
	local, err := r.evalOr(v.LocalBytes, 0, nil)
	if err != nil {
		return "", err
	}
	if local += v.OwnBytes; local > r.machine.LocalBytes {
		return fmt.Sprintf("needs %d bytes of local memory, of %d", local, r.machine.LocalBytes), nil
	}
	return "", nil
}
