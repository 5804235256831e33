package simt

import (
	"fmt"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/plan"
)

// published is the scheme of several launches: for each cut, one stores the fold
// of each tile, and a work-group turns the folds into prefixes; the main launch
// reads these.
type published struct{ flat }

var publishedFamily = family{Traits: Traits{Name: SchemePublished, Portable: true},
	settings: []ownSetting{{"offsets", func(s plan.Schedule) bool { return s.Offsets != "" }}},
	refuse: func(s plan.Schedule) error {
		if s.IDs != "" {
			return fmt.Errorf("ids is a setting of scheme=%s; with %s no tile waits for another", SchemeLookback, SchemePublished)
		}
		return nil
	},
	shape: workgroupShape, lower: withoutPrefix, fallback: byPublished,
}

// workgroupShape is the shape of tiles that a work-group shares.
func workgroupShape(_ *lowering, _ *tile.Kernel, s shape) (shape, error) {
	if s.isOpen {
		s.workgroup = flatWorkgroup
	}
	return s, nil
}

func (p published) meets() tile.Demands { return metByTiles | tile.Prefixes }

func (p published) describe(v *plan.Variant) { v.Schedule.Scheme = SchemePublished }

func (p published) prepare() {
	for _, cut := range p.gridCuts() {
		p.addFolds(cut, plan.Temporary)
		p.launchRows(p.sum(cut, p.storeFold), p.grid(), plan.ForwardNone)
		p.launchOnce(p.scan(cut), p.tiles)
	}
	p.addReductions()
}

// addFolds adds the buffers of a fold per tile and of their total.
func (p published) addFolds(cut int, role plan.Role) {
	st := p.stateOf(p.gridScans(cut))
	p.states = p.buffers(p.states, st, "tile", p.folds, role)
	p.totals = p.buffers(p.totals, st, "total", plan.Const(1), role)
}

// storeFold stores the fold of the tile.
func (p published) storeFold(e *tileBody, st *state, total []loop.Expr) {
	e.publishTile(st, p.states, total)
}

func (p published) prefix(e *tileBody, cut int, st *state, total []loop.Expr) (earlier []loop.Expr) {
	e.b.Barrier(loop.WorkgroupScope)
	for _, slot := range st.slots {
		earlier = append(earlier, e.b.Let("earlier", loop.At(e.memory(p.states[slot.stateKey], slot, plan.Reads), e.tile)))
	}
	return earlier
}

// sum writes the launch that folds each tile for a cut. deliver passes the fold on.
func (p published) sum(cut int, deliver func(e *tileBody, st *state, total []loop.Expr)) *function {
	e := p.function(fmt.Sprintf("%s_sum%d", p.Name, cut))
	e.until = cut
	e.begin()
	p.eachTile(e.tileBody, func() {
		p.startTile(e)
		p.runPhases(e)
		e.declareFolds(p.cuts[cut])
		e.loopRows(cut)
		st := p.stateOf(p.gridScans(cut))
		_, total := e.scanner.scan(e.selected(), st, nil)
		deliver(e.tileBody, st, total)
	})
	return e.function
}

// scan writes the launch of one work-group that turns the folds of the tiles into
// prefixes.
func (p published) scan(cut int) *function {
	e := p.function(fmt.Sprintf("%s_scan%d", p.Name, cut))
	e.localID = e.b.Let("local_id", &loop.ID{Kind: loop.LocalID})
	st := p.stateOf(p.gridScans(cut))
	memory := func(j int) *loop.Var {
		return e.memory(p.states[st.slots[j].stateKey], st.slots[j], plan.ReadsWrites)
	}
	carry := e.scanTiles(st, e.arguments.rows, memory, memory)
	e.b.If(loop.Eq(e.localID, loop.Int(0)), func() {
		for j, slot := range st.slots {
			e.b.Store(e.memory(p.totals[slot.stateKey], slot, plan.Writes), loop.Int(0), carry[j])
		}
	}, nil)
	return e.function
}
