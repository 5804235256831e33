package simt

import (
	"fmt"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/plan"
)

// A launch spans less than 2^31 rows, and what numbers rows has 32 bits. Longer
// inputs go in parts: each launch over rows becomes one for each part, before
// the next launch begins. Tiles are numbered over all parts, and all buffers are
// those of the whole input, so that a part goes on where the one before it has
// ended: a scan finds the folds of earlier tiles where it would find them in a
// single launch, and a tile looks back into the part before. Counters and counts
// of rows have 64 bits then.

// inParts reports whether launches over rows go in parts.
func (l *lowering) inParts() bool { return l.schedule.Part > 0 }

// overRows returns the step that launches a kernel over all rows.
func (s *launches) overRows(kernel string, schedule plan.Schedule) plan.Step {
	if !s.inParts() {
		return plan.Step{Launch: &plan.Launch{Kernel: kernel, Rows: s.span}}
	}
	if s.part == nil {
		s.part = &part{s.names.fresh("part_row0"), s.names.fresh("part_rows")}
		for _, name := range []string{s.part.row0, s.part.rows} {
			s.out.Scalars = append(s.out.Scalars, plan.Scalar{Name: name, Kind: plan.I64})
		}
	}
	launch := &plan.Launch{Kernel: kernel, Row0: plan.Var(s.part.row0), Rows: plan.Var(s.part.rows)}
	return plan.Step{Parts: &plan.Parts{Len: s.span, Row0: s.part.row0, Rows: s.part.rows,
		Limit: s.schedule.Part, Multiple: schedule.Rows(), Steps: []plan.Step{{Launch: launch}}}}
}

// part names the scalars that say which rows a part has.
type part struct{ row0, rows string }

// firstTile returns the number of the first tile of the launch.
func (s *launches) firstTile(e *emission) loop.Expr {
	if !s.inParts() {
		return loop.Int(0)
	}
	return e.b.Let("first_tile", loop.Div(e.arguments.part, loop.Int(s.kernel.rows())))
}

// refuseParts refuses a schedule that parts are of no use to.
func (s *launches) refuseParts() bool {
	if s.inParts() && s.broadcasts() {
		s.faults = append(s.faults, fmt.Errorf("part=%d: offsets=%s is for %d tiles at most, fewer than need parts; choose offsets=%s",
			s.schedule.Part, plan.Broadcast, mostBroadcast, plan.Scan))
		return true
	}
	return false
}
