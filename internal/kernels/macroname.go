package kernels

import (
	"strings"

	"github.com/kgen-go/kgen/backends"
)

// macroNames holds the prefixes of macro names given so far.
type macroNames map[string]bool

// of returns the prefix of the macro names of a kernel.
func (n macroNames) of(entry string) string {
	return strings.ToUpper(backends.Unused(n, entry, strings.ToUpper))
}
