package fuse

import (
	"slices"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// nameSorts names the scalars of the sorts whose passes the plan chooses. The plan
// reads in which bits words differ.
func (l *lowering) nameSorts() {
	for _, v := range l.Pipeline.Values {
		t, ok := l.turns[v]
		if !ok || t.part != recount {
			continue
		}
		for _, scalar := range slices.Concat(t.of.known(), t.of.bases) {
			l.isResult[scalar] = true
		}
		if !t.of.isCountedTwice() {
			continue
		}
		name := func(name string) string { return l.names.Fresh("sort_"+name, "_") }
		t.of.names = sortingNames{passes: name("passes"), shift: name("shift"), width: name("width")}
	}
}

// digits lowers the histograms of the digits of keys. If the plan chooses the digits,
// they may have to be counted again.
func (l *lowering) digits(v *ir.Value) {
	l.sizedLength(v, v.Type.Domain)
	s := l.histogram(v, v.Args[0])
	w := l.defineResult(s, v)
	t, ok := l.turns[v]
	if !ok {
		return
	}
	chosen := s
	if t.of.isCountedTwice() {
		chosen = l.histogram(v, v.Args[2])
		chosen.after = append(chosen.after, s)
		chosen.Writes, w.Writer = append(chosen.Writes, w), chosen
	}
	for _, scalar := range t.of.known() {
		l.read(chosen, scalar, tile.Element, true)
	}
	if !t.of.isCountedTwice() {
		t.of.names = sortingNames{shift: l.result(t.of.first).Name, passes: l.result(t.of.count).Name, width: l.result(t.of.width).Name}
	}
	chosen.turn, t.of.chosen = t, chosen
}

func (l *lowering) histogram(v, counted *ir.Value) *Stage {
	s := l.stage(Histogram, v.Pos, counted.Type.Domain)
	l.read(s, counted, tile.Element, false)
	s.roots, s.counted = append(s.roots, v), counted
	if length := l.writer[key{kind: Lengths, of: v.Type.Domain}]; length != nil && length.Writer != nil {
		s.after = []*Stage{length.Writer} // that decides how many counters there are
	}
	return s
}

// scatter lowers the move of a row to its place. What moves to the same places
// shares a stage. Of several ways to move, each has a stage.
func (l *lowering) scatter(v *ir.Value) {
	out := v.Type.Domain
	if v.Limit != nil {
		l.limit(v)
	}
	var first *Stage
	for i := 0; i < len(v.Args); i += 2 {
		x, place := v.Args[i], v.Args[i+1]
		s := l.pass(v, out, place, x)
		if first == nil {
			first = s
			l.defineResult(s, v)
			continue
		}
		s.Writes = append(s.Writes, l.result(v))
		first.after = append(first.after, s)
	}
}

// pass returns the stage of all that moves to the same places, among the rows of out; v moves columns.
func (l *lowering) pass(v *ir.Value, out *ir.Domain, place *ir.Value, columns ...*ir.Value) *Stage {
	s := l.shareAfter(nil, groupKey{kind: Pass, domain: columns[0].Type.Domain, out: out, place: place}, v, columns...)
	for _, x := range columns {
		l.read(s, x, tile.Element, false)
	}
	l.read(s, place, tile.Element, false)
	l.length(s, out)
	s.turn, s.place = l.turns[place], place
	if s.turn.of != nil {
		s.after = append(s.after, s.turn.of.chosen)
	}
	s.roots = append(s.roots, v)
	return s
}

// pack lowers the words of rows that lie side by side, which a pass moves if they have places.
func (l *lowering) pack(v *ir.Value) {
	if v.By != nil {
		l.defineResult(l.pass(v, v.Type.Domain.Parent, v.By, v.Args...), v)
		return
	}
	s := l.stage(Pack, v.Pos, v.Type.Domain.Parent)
	for _, x := range v.Args {
		l.read(s, x, tile.Element, false)
	}
	s.roots = append(s.roots, v)
	l.defineResult(s, v)
}

// rowsOrdered returns the rows that an order of v has. Those that move may be candidates alone, as many as a limit, or all rows.
func rowsOrdered(v *ir.Value) *ir.Domain { return v.Type.Domain.Parent }

// length returns the domain by which d is as long as it is, and what holds its length; nil if that is known from
// the start. An order without a limit is as long as the rows that move.
func (g *Graph) length(d *ir.Domain) (*ir.Domain, *Value) {
	w := g.writer[key{kind: Lengths, of: d}]
	if w == nil && d != nil && d.Kind == ir.DomainOrder {
		return g.length(d.Parent)
	}
	return d, w
}

// limitsBeside computes how many rows orders with a limit have beside the first selection of some of the same rows, if that
// follows from parameters: the plan waits for the selection, too.
func (l *lowering) limitsBeside(selected *ir.Value) {
	for _, v := range l.Pipeline.Values {
		if v.Op == ir.OpScatter && v.Limit != nil && rowsOrdered(v) == selected.Type.Domain.Parent && followsFromParameters(v.Limit) {
			l.limit(v)
		}
	}
}

// followsFromParameters reports whether a scalar follows from scalar parameters alone.
func followsFromParameters(v *ir.Value) bool {
	isScalar := v.Op == ir.OpConst || v.Op == ir.OpParam || v.Op.IsElementwise()
	return isScalar && v.Type.IsScalar() && !slices.ContainsFunc(v.Args, func(x *ir.Value) bool { return !followsFromParameters(x) })
}

// plannedLimit returns the limit of an order by which the plan computes how many rows it has, so that it need not wait for a kernel that
// does; nil if it cannot.
func (g *Graph) plannedLimit(d *ir.Domain) *ir.Value {
	if !g.claims || d.Kind != ir.DomainOrder {
		return nil
	}
	moved := d.By
	for moved != nil && moved.Op == ir.OpEither {
		moved = moved.Args[0]
	}
	if moved == nil || moved.Limit == nil || !isPlanned(moved.Limit) {
		return nil
	}
	return moved.Limit
}

// limit adds the stage that computes how many rows an order with a limit has.
func (l *lowering) limit(v *ir.Value) {
	d := v.Type.Domain
	if l.writer[key{kind: Lengths, of: d}] != nil { // rows may be sorted in another way, too
		return
	}
	s := l.stage(ScalarMap, v.Pos, nil)
	l.read(s, v.Limit, tile.Element, true)
	l.length(s, rowsOrdered(v))
	l.define(&Value{Kind: Lengths, Of: d, Name: l.DomainName(d) + "_length", Type: ir.I64}, s)
}
