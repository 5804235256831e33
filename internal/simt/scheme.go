package simt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/plan"
)

// The schemes, by their names in schedules and plans.
const (
	SchemeFlat       = "flat"          // no tile needs earlier ones
	SchemePublished  = "published"     // a launch per cut
	SchemeLookback   = "lookback"      // tiles of one launch publish and poll
	SchemePersistent = plan.Persistent // resident work-groups walk over the tiles together
)

// A scheme brings the fold of all earlier tiles to a tile. It lowers one kernel.
type scheme interface {
	// meets returns the demands of operations that the scheme meets.
	meets() tile.Demands
	// refuse returns why the kernel and its schedule cannot have the scheme.
	refuse() error
	// prepare adds the buffers and the launches that the main launch needs.
	prepare()
	// main writes the main launch, which does the work of the rows.
	main()
	// describe enters the scheme in the variant of a launch.
	describe(v *plan.Variant)
	// eachTile runs body for each tile of the work-group.
	eachTile(e *tileBody, body func())
	// publish returns what a work-item does as soon as it knows the fold of the
	// tile at a cut, or nil.
	publish(e *tileBody, cut int) func(total []loop.Expr)
	// prefix returns the fold of all earlier tiles at a cut.
	prefix(e *tileBody, cut int, st *state, total []loop.Expr) []loop.Expr
	// knowsTotal reports whether the last tile of the main launch knows the
	// fold of all rows.
	knowsTotal() bool
	// endTile writes what follows the rows of a tile.
	endTile(e *rowBody)
}

// family is a scheme as a schedule names it.
type family struct {
	Traits
	// settings are those that not every scheme has.
	settings []ownSetting
	// refuse returns why the scheme refuses a schedule, whatever the kernel.
	refuse func(s plan.Schedule) error
	// shape returns the tile that the scheme wants for a kernel.
	shape func(l *lowering, t *tile.Kernel, s shape) (shape, error)
	// lower returns the scheme of a kernel, flat if it needs no earlier tiles.
	lower func(s *launches) scheme
	// fallback is the schedule of the plan that runs when waiting fails.
	fallback func(s plan.Schedule) plan.Schedule
}

// families lists the schemes that schedules may name, the default first.
var families = []*family{&lookbackFamily, &persistentFamily, &publishedFamily}

// familyOf returns the scheme that a schedule names.
func familyOf(s plan.Schedule) (*family, error) {
	if s.Scheme == "" {
		return families[0], nil
	}
	var names []string
	for _, f := range families {
		if f.Name == s.Scheme {
			return f, nil
		}
		names = append(names, f.Name)
	}
	if now := plan.FormerSchemes[s.Scheme]; now != "" {
		return nil, fmt.Errorf("scheme=%s is called scheme=%s now", s.Scheme, now)
	}
	return nil, fmt.Errorf("scheme=%s: there are %s", s.Scheme, strings.Join(names, ", "))
}

// byPublished is the fallback to scheme=published with the same shape.
func byPublished(s plan.Schedule) plan.Schedule {
	s.Scheme, s.IDs = SchemePublished, ""
	return s
}

// withoutPrefix returns the scheme of a kernel whose tiles neither publish nor
// poll: a launch per cut, broadcast offsets, or nothing.
func withoutPrefix(s *launches) scheme {
	f := flat{s}
	switch {
	case s.schedule.Offsets == plan.Broadcast && len(s.broadcastOps()) > 0:
		s.offsets = broadcastOffsets{s}
		return broadcasting{published{f}}
	case len(s.gridCuts()) > 0:
		return published{f}
	case s.walks():
		return walking{f}
	case s.sharesSources():
		s.shareTiles(max(leastSourcesRows/s.rowItems(), 1), fewSourcesTiles)
	}
	return f
}

// refuseDemands returns why a scheme that meets some demands cannot have a kernel
// whose operations make others.
func refuseDemands(kernel, scheme string, asks, meets tile.Demands) error {
	if reason := asks.Refuse(meets); reason != "" {
		return fmt.Errorf("kernel %s: %s, and scheme=%s has no way to do it", kernel, reason, scheme)
	}
	return nil
}

// needs are the capabilities of a device that a way of numbering tiles takes.
var needs = map[plan.Forward][]plan.Cap{
	plan.ForwardTicket:   {plan.CapTicket},
	plan.ForwardStatic:   {plan.CapStatic},
	plan.ForwardResident: {plan.CapBulkCopy, plan.CapResident},
}

// lastTileEnds reports whether the last tile does what comes after the rows.
func (s *launches) lastTileEnds() bool {
	return s.scheme.knowsTotal() && len(s.reductions()) == 0 && !s.hasChunks()
}

// runsWithoutRows reports whether the main launch has something to do even if
// there are no rows.
func (s *launches) runsWithoutRows() bool {
	return s.scheme.knowsTotal() && s.hasEnd() || slices.ContainsFunc(s.Ops, func(op tile.Op) bool { return op.Domain == tile.Uniform && !op.Epilogue && op.Does(tile.Reports) })
}
