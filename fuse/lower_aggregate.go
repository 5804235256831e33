package fuse

import (
	"slices"

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
		w := l.defineResult(s, v)
		switch f := v.Op.Aggregate().State[0]; f.Fold {
		case ir.ReduceAdd, ir.ReduceFirst, ir.ReduceLast: // of no rows 0, or never read
		default:
			w.Fill = tile.Identity(f.Fold, v.Type.Kind)
		}
		return
	}
	isEdge := v.Op.Aggregate().IsEdge()
	if !isEdge {
		l.read(s, v.Args[0], tile.Element, false)
	}
	s.roots = append(s.roots, v)
	states := tableState(v)
	for i, f := range states {
		name := v.Name
		if name == "" {
			name = l.DomainName(out) + "_" + v.Op.String()
		}
		k := kindOf(f, v)
		l.define(&Value{Kind: States, IR: v, Field: i, Name: name + "_" + f.Name, Type: k, Domain: out, Fill: tile.Identity(f.Fold, k)}, s)
	}
	finish := l.shareAfter(s, groupKey{Finish, out, nil, true}, v, v.Operands()...)
	for i := range states {
		l.use(finish, l.writer[key{kind: States, ir: v, field: i}], tile.Element, false)
	}
	if isEdge {
		l.read(finish, v.Args[0], tile.Gather, true)
	}
	if v.Else != nil {
		l.read(finish, v.Else, tile.Element, true)
	}
	finish.roots = append(finish.roots, v)
	l.defineResult(finish, v)
}

// isResultTable reports whether the table of an aggregate is its result. If a
// group may be empty and then has no result, a count stands beside the state, and
// the first row is known by its number alone if rows lie anywhere.
func isResultTable(v *ir.Value) bool {
	a := v.Op.Aggregate()
	return a.Finish == ir.FinishField && (a.NoRows == ir.NoRowsIdentity || isContiguous(v.By))
}

// tableState lists the fields that tables keep of an aggregate whose table is
// not its result: its state, and how many rows there are. The first or last row
// of a group is known by its number.
func tableState(v *ir.Value) []ir.StateField {
	a := v.Op.Aggregate()
	fields := slices.Clone(a.State)
	if a.IsEdge() {
		fields[0] = rowOf(fields[0].Fold)
	}
	if !slices.ContainsFunc(fields, ir.StateField.CountsRows) {
		fields = append(fields, ir.CountOfRows)
	}
	return fields
}

// rowOf is the number of the first or last row.
func rowOf(edge ir.ReduceOp) ir.StateField {
	row := ir.FirstRow
	if edge == ir.ReduceLast {
		row = ir.LastRow
	}
	return row
}

// kindOf returns the kind of a field of the state of v.
func kindOf(f ir.StateField, v *ir.Value) ir.Kind {
	if len(v.Args) == 0 {
		return f.Kind(ir.Bool)
	}
	return f.Kind(v.Args[0].Type.Kind)
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
