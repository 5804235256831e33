package kernels

import (
	"strings"

	"github.com/kgen-go/kgen/backends"
)

// macroNames are the beginnings of the names of macros given so far.
type macroNames map[string]bool

// of returns how the names of the macros of a kernel begin.
func (n macroNames) of(entry string) string {
	return strings.ToUpper(backends.Unused(n, entry, strings.ToUpper))
}
