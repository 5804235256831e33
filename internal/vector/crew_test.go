package vector

import (
	"testing"
	"time"
)

// TestWorkersJoinAndLeave has workers join while one hardly waits, and leave that mostly wait: one at a time, when
// all others have run a batch since, never the last one, and none joins behind one that has left.
func TestWorkersJoinAndLeave(t *testing.T) {
	c := crew{most: 5}
	c.joined.Store(2)
	for _, x := range []struct {
		waited, passed, batch int64
		joins, leaves         bool
	}{
		{25, 100, 10, false, false}, // a quarter of the time is not little
		{50, 100, 10, false, false}, // and half of it not most
		{24, 100, 1, false, false},  // the other has run no batch
		{24, 100, 2, true, false},
		{0, 100, 4, false, false}, // the others have run no batch since
		{0, 100, 5, true, false},
		{51, 100, 8, false, false},
		{51, 100, 9, false, true},
		{99, 100, 11, false, false},
		{0, 100, 20, false, false}, // one has left
		{99, 100, 20, false, true},
		{99, 100, 30, false, true},
		{100, 100, 50, false, false}, // the last one
	} {
		leaves := c.mayLeave(time.Duration(x.waited), time.Duration(x.passed), x.batch)
		number, joins := c.mayJoin(time.Duration(x.waited), time.Duration(x.passed), x.batch)
		if joins != x.joins || leaves != x.leaves {
			t.Errorf("behind batch %d, having waited for %d of %d, a worker joins: %v, leaves: %v", x.batch, x.waited, x.passed, joins, leaves)
		}
		if joins && number != c.joined.Load()-1 {
			t.Errorf("worker %d joins %d", number, c.joined.Load()-1)
		}
	}
	all := crew{most: 2}
	all.joined.Store(2)
	if _, joins := all.mayJoin(0, 100, 50); joins {
		t.Error("a worker joins that is not there")
	}
	if joined, left := c.joined.Load(), c.left.Load(); joined != 4 || left != 3 {
		t.Errorf("%d workers have joined and %d left", joined, left)
	}
}
