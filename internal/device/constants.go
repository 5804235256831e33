package device

import (
	"fmt"
	"regexp"

	"github.com/kgen-go/kgen/plan"
)

var macroName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Constants returns the compiler's options -DNAME=VALUE for the constants of a
// variant, which have these values.
func Constants(constants []plan.Spec, values []int64) ([]string, error) {
	var options []string
	for i, spec := range constants {
		if !macroName.MatchString(spec.Name) {
			return nil, fmt.Errorf("the plan's constant %q is no name in C", spec.Name)
		}
		options = append(options, fmt.Sprintf("-D%s=%d", spec.Name, values[i]))
	}
	return options, nil
}
