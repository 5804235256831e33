//go:build cuda

package cuda

import (
	"gorgonia.org/cu"

	"github.com/kgen-go/kgen/internal/device/worker"
)

// GraphsLaunched returns how many runs of a session's device were graphs.
func GraphsLaunched(s worker.Session) int { return s.(*session).device.graphs.launched }

// MarksTwice returns how many of the marks that may be used again are there twice.
func MarksTwice(s worker.Session) (twice int) {
	met := map[cu.Event]bool{}
	for _, m := range s.(*session).device.marks {
		if met[m] {
			twice++
		}
		met[m] = true
	}
	return twice
}
