package vector

import (
	"testing"
	"time"
)

// TestWorkersLeave has workers leave that mostly wait: one at a time, when all others have run a batch since, and
// never the last one.
func TestWorkersLeave(t *testing.T) {
	var c crew
	c.size.Store(3)
	for _, x := range []struct {
		waited, passed, batch int64
		leaves                bool
	}{
		{50, 100, 10, false}, // half of the time is not most of it
		{51, 100, 2, false},
		{51, 100, 10, true},
		{99, 100, 11, false}, // the others have run no batch since
		{99, 100, 12, true},
		{100, 100, 50, false}, // the last one
	} {
		if leaves := c.mayLeave(time.Duration(x.waited), time.Duration(x.passed), x.batch); leaves != x.leaves {
			t.Errorf("behind batch %d, having waited for %d of %d, a worker of %d leaves: %v", x.batch, x.waited, x.passed, c.size.Load(), leaves)
		}
	}
	if size := c.size.Load(); size != 1 {
		t.Errorf("%d workers stay", size)
	}
}
