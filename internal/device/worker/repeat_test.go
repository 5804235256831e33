package worker

import (
	"testing"
	"time"
)

// Fills cover the time in which work is queued, and no more: what is short on a GPU would take a core most of its time.
func TestCoverParts(t *testing.T) {
	for _, c := range []struct {
		first time.Duration
		want  int
	}{
		{0, coverFills * coverFills},
		{10 * time.Microsecond, coverFills * coverFills},
		{time.Millisecond, 5},
		{3 * time.Millisecond, 1},
		{20 * time.Millisecond, 0},
	} {
		if got := coverParts(c.first); got != c.want {
			t.Errorf("%d fills where one takes %v, not %d", got, c.first, c.want)
		}
	}
}
