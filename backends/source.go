package backends

import (
	"strings"

	"github.com/kgen-go/kgen/ir"
)

// SourceLines returns a function that gives the line of source at a position,
// without space around it, or "" if there is none.
func SourceLines(source []byte) func(ir.Pos) string {
	lines := strings.Split(string(source), "\n")
	return func(pos ir.Pos) string {
		if !pos.IsValid() || pos.Line > len(lines) {
			return ""
		}
		return strings.TrimSpace(lines[pos.Line-1])
	}
}
