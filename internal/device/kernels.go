package device

import (
	"fmt"

	"github.com/kgen-go/kgen/plan"
)

// Kernels keeps the kernels that a session has compiled. K is the driver's handle
// of a kernel.
type Kernels[K any] struct{ compiled map[instance]K }

type instance struct {
	variant   *plan.Variant
	constants string
}

// Of returns the kernel of a variant with these values of its constants. The
// first call compiles it.
func (k *Kernels[K]) Of(v *plan.Variant, constants []int64, compile func() (K, error)) (K, error) {
	wanted := instance{variant: v}
	if len(constants) > 0 {
		wanted.constants = fmt.Sprint(constants)
	}
	if known, ok := k.compiled[wanted]; ok {
		return known, nil
	}
	made, err := compile()
	if err == nil {
		if k.compiled == nil {
			k.compiled = map[instance]K{}
		}
		k.compiled[wanted] = made
	}
	return made, err
}
