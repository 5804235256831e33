package fuse

import (
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// aggregate lowers an aggregate: over all rows, over contiguous groups, or over bins.
func (l *lowering) aggregate(v *ir.Value) {
	if v.By == nil {
		x := v.Args[0]
		s := l.share(Reduce, v, x.Type.Domain, nil, v.Operands()...)
		l.aggregateOperands(s, v)
		s.roots = append(s.roots, v)
		l.defineResult(s, v)
		return
	}
	if l.options.Tables || !isContiguous(v.By) {
		l.aggregateTable(v)
		return
	}
	out := v.By.Type.Target
	s := l.share(Aggregate, v, v.By.Type.Domain, out, v.Operands()...)
	s.Out = out
	l.aggregateOperands(s, v)
	l.read(s, v.By, tile.Element, false)
	s.roots = append(s.roots, v)
	l.defineResult(s, v)
}

// binsLength adds the stage that computes the length of a domain of bins,
// unless it is that of a column or a constant.
func (l *lowering) binsLength(v *ir.Value) {
	size := v.Args[1]
	if size.Type.Domain != nil || size.Op == ir.OpConst && size.Const.Int64() >= 0 {
		return
	}
	s := l.stage(ScalarMap, v.Pos, nil)
	l.read(s, size, tile.Element, true)
	d := v.Type.Target
	l.define(&Value{Kind: Lengths, Of: d, Name: l.DomainName(d) + "_length", Type: ir.I64}, s)
}

// isContiguous reports whether the rows of a group lie together, and no group
// is empty; else they may lie anywhere.
func isContiguous(grouping *ir.Value) bool {
	return grouping.Op == ir.OpRuns || grouping.Op == ir.OpStarts
}

// aggregateTable lowers an aggregate by a table with an element per group, at
// the group's number. Where that is a state and not yet the result, a Finish
// stage over the groups makes it so.
func (l *lowering) aggregateTable(v *ir.Value) {
	out := v.By.Type.Target
	s := l.shareAfter(nil, groupKey{Aggregate, v.By.Type.Domain, out, true}, v, v.Operands()...)
	l.read(s, v.By, tile.Element, false)
	if !isContiguous(v.By) { // of the others, a bound is known
		l.length(s, out)
	}
	if isResultTable(v) {
		l.aggregateOperands(s, v)
		s.roots = append(s.roots, v)
		if w := l.defineResult(s, v); v.Op == ir.OpMin || v.Op == ir.OpMax {
			w.Fill = resultField(v).fill()
		}
		return
	}
	if v.Op != ir.OpFirst && v.Op != ir.OpLast {
		l.read(s, v.Args[0], tile.Element, false)
	}
	s.roots = append(s.roots, v)
	states := stateFields(v)
	for i, f := range states {
		name := v.Name
		if name == "" {
			name = l.DomainName(out) + "_" + v.Op.String()
		}
		l.define(&Value{Kind: States, IR: v, Field: i, Name: name + "_" + f.name, Type: f.kind, Domain: out, Fill: f.fill()}, s)
	}
	finish := l.shareAfter(s, groupKey{Finish, out, nil, true}, v, v.Operands()...)
	for i := range states {
		l.use(finish, l.writer[key{kind: States, ir: v, field: i}], tile.Element, false)
	}
	if v.Op == ir.OpFirst || v.Op == ir.OpLast {
		l.read(finish, v.Args[0], tile.Gather, true)
	}
	if v.Else != nil {
		l.read(finish, v.Else, tile.Element, true)
	}
	finish.roots = append(finish.roots, v)
	l.defineResult(finish, v)
}

// stateField is what a table keeps per group: a fold of the argument, of 1,
// or of row numbers.
type stateField struct {
	name   string
	kind   ir.Kind
	reduce ir.ReduceOp
	what   stateSource
}

type stateSource uint8

const (
	ofArgument stateSource = iota
	ofOne
	ofRow
)

func (f stateField) fill() ir.Scalar { return tile.Identity(f.reduce, f.kind) }

// isResultTable reports whether the table of an aggregate is its result. A group
// that may be empty needs a count beside a minimum, and the first row is known
// by its number alone where rows lie anywhere.
func isResultTable(v *ir.Value) bool {
	switch v.Op {
	case ir.OpSum, ir.OpCount:
		return true
	case ir.OpAvg:
		return false
	}
	return isContiguous(v.By)
}

// resultField is what the table of sum, count, min or max keeps per group where
// it is the result.
func resultField(v *ir.Value) stateField {
	f := stateField{kind: v.Type.Kind, reduce: ir.ReduceAdd, what: ofArgument}
	switch v.Op {
	case ir.OpCount:
		f.what = ofOne
	case ir.OpMin:
		f.reduce = ir.ReduceMin
	case ir.OpMax:
		f.reduce = ir.ReduceMax
	}
	return f
}

// stateFields lists the state of an aggregate whose table is not its result.
func stateFields(v *ir.Value) []stateField {
	count := stateField{"count", ir.I64, ir.ReduceAdd, ofOne}
	x := v.Type.Kind
	switch v.Op {
	case ir.OpMin:
		return []stateField{{"min", x, ir.ReduceMin, ofArgument}, count}
	case ir.OpMax:
		return []stateField{{"max", x, ir.ReduceMax, ofArgument}, count}
	case ir.OpAvg:
		return []stateField{{"sum", sumKind(v.Args[0].Type.Kind), ir.ReduceAdd, ofArgument}, count}
	case ir.OpFirst:
		return []stateField{{"row", ir.I64, ir.ReduceMin, ofRow}, count}
	case ir.OpLast:
		return []stateField{{"row", ir.I64, ir.ReduceMax, ofRow}, count}
	}
	panic("fuse: no state for " + v.Op.String())
}

// sumKind is the type in which elements of kind k are summed.
func sumKind(k ir.Kind) ir.Kind {
	switch {
	case k.IsFloat():
		return ir.F64
	case k.IsUnsigned():
		return ir.U64
	}
	return ir.I64
}

func (l *lowering) aggregateOperands(s *Stage, v *ir.Value) {
	for _, arg := range v.Args {
		l.read(s, arg, tile.Element, false)
	}
	if v.Else != nil {
		l.read(s, v.Else, tile.Element, true)
	}
}

// share returns the stage of kind over domain that makes out's rows, a new one
// if there is none yet or if operands depend on the one there is.
func (l *lowering) share(kind StageKind, v *ir.Value, domain, out *ir.Domain, operands ...*ir.Value) *Stage {
	return l.shareAfter(nil, groupKey{kind, domain, out, false}, v, operands...)
}

// shareAfter is share for a stage that also reads what before writes, if that is
// not nil.
func (l *lowering) shareAfter(before *Stage, k groupKey, v *ir.Value, operands ...*ir.Value) *Stage {
	if s := l.group[k]; s != nil && !l.dependOn(before, operands, s) {
		return s
	}
	s := l.stage(k.kind, v.Pos, k.domain)
	l.group[k] = s
	return s
}

// dependOn reports whether the stage before, or any operand, is computed from
// what s writes.
func (l *lowering) dependOn(before *Stage, operands []*ir.Value, s *Stage) bool {
	seen := map[*Stage]bool{}
	var visit func(t *Stage) bool
	visit = func(t *Stage) bool {
		if t == nil || seen[t] {
			return false
		}
		seen[t] = true
		if t == s {
			return true
		}
		for _, use := range t.Reads {
			if visit(use.Value.Writer) {
				return true
			}
		}
		return false
	}
	if visit(before) {
		return true
	}
	probe := &Stage{}
	for _, o := range operands {
		l.read(probe, o, tile.Element, false)
	}
	for _, use := range probe.Reads {
		if visit(use.Value.Writer) {
			return true
		}
	}
	return false
}
