package simt

import (
	"github.com/kgen-go/kgen/internal/tile"
)

// Whether a kernel walks in rounds where nobody says so. The measured times behind these
// numbers are in docs/performance/gpu.md.

// RoundRows is from how many rows on rounds pay: with fewer, the columns lie in the cache of a
// GPU, and work-groups walk over a few tiles each.
const RoundRows = 1 << 25

// maxStateBytes is how many bytes of states a subgroup may scan for each row of a work-item. It
// scans them once a tile; where the ring leaves room for few rows, that is more work than waits
// cost.
const maxStateBytes = 2

// mayWalk reports whether t may walk in rounds: the device can, the schedule leaves it open, and
// t has many rows and only demands of which it is known that rounds pay.
func (l *lowering) mayWalk(t *tile.Kernel) bool {
	s := l.schedule
	isOpen := s.Scheme == "" && s.Workgroup == 0 && s.Items == 0 && s.Chunk == 0 && s.Occupancy == 0 && s.Part == 0 && s.Offsets == ""
	return isOpen && l.family == &lookbackFamily && l.target.Rows[t.Domains[0].Plan] >= RoundRows &&
		t.Asks()&^(tile.Prefixes|tile.Neighbours|tile.AnEnd) == 0 && len(tile.Analyze(t).Cuts) == 1
}

// prefersRounds reports whether k, which has been shaped for rounds, is faster by them than by
// look-back. A round brings whole columns to local memory; look-back reads those that are needed
// behind the cut for the rows that are kept.
func (k *kernel) prefersRounds() bool {
	for i := range k.Streams {
		if !k.Streams[i].Write && !k.arena.staged[i] && !k.isReadOnce(i) {
			return false
		}
	}
	return k.stateOf(k.cuts[0]).bytes() <= maxStateBytes*k.items
}

// isReadOnce reports whether a stream is only read at places that are the same for all rows. Work-groups that walk read
// it once, others before each tile.
func (k *kernel) isReadOnce(stream int) bool {
	isRead := false
	for i := range k.Ops {
		if op := &k.Ops[i]; op.IsLoad() && op.Stream == stream {
			if !op.LoadsAt() || k.Values[op.Res[0]].Domain != tile.Uniform {
				return false
			}
			isRead = true
		}
	}
	return isRead
}
