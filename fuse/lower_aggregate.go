package fuse

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// aggregate lowers an aggregate: over all rows, over segments, or over bins.
func (l *lowering) aggregate(v *ir.Value) {
	if v.By == nil {
		x := v.Args[0]
		s := l.shareAfter(nil, groupKey{kind: Reduce, domain: x.Type.Domain, place: v.Limit}, v, v.Operands()...)
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

// sizedLength adds the stage that computes how many rows d has, which the second
// operand of v says, unless that is the length of a column or a constant.
func (l *lowering) sizedLength(v *ir.Value, d *ir.Domain) {
	size := v.Args[1]
	if l.writer[key{kind: Lengths, of: d}] != nil { // another way to the same rows has it
		return
	}
	if size.Type.Domain != nil || size.Op == ir.OpConst && size.Const.Int64() >= 0 || v.Op == ir.OpBins && len(l.sites[v]) == 0 && isSizeOfLengths(size) {
		return
	}
	if lo, _, ok := l.Pipeline.Range(size); ok && lo >= 0 && size.Type.Kind == ir.I64 && l.result(size) != nil {
		l.writer[key{kind: Lengths, of: d}] = l.result(size)
		return
	}
	if length := l.slots[size]; length != nil && v.Op == ir.OpInsert { // which is known before either table is made
		l.writer[key{kind: Lengths, of: d}] = length
		return
	}
	s := l.stage(ScalarMap, v.Pos, nil)
	l.read(s, size, tile.Element, true)
	length := &Value{Kind: Lengths, Of: d, Name: l.DomainName(d) + "_length", Type: ir.I64}
	l.define(length, s)
	if v.Op == ir.OpInsert {
		l.slots[size] = length
	}
}

// isContiguous reports whether the groups are segments: their rows are contiguous,
// and no group is empty. The rows of other groups may lie anywhere.
func isContiguous(grouping *ir.Value) bool {
	return grouping.Op == ir.OpRuns || grouping.Op == ir.OpStarts
}

// liesTogether reports whether the rows of a group are contiguous. Groups may be empty.
func liesTogether(grouping *ir.Value) bool {
	return isContiguous(grouping) || grouping.Op == ir.OpExpand || grouping.Type.Target.Kind == ir.DomainEvery
}

// aggregateTable lowers an aggregate to tables with an element per group, at the
// number of the group. If the tables hold a state, a Finish stage over the groups
// computes the result.
func (l *lowering) aggregateTable(v *ir.Value) {
	out := v.By.Type.Target
	s := l.combining(v, out)
	l.read(s, v.By, tile.Element, false)
	if !isContiguous(v.By) { // the number of segments has a known bound
		l.length(s, out)
	}
	if isResultTable(v) {
		l.aggregateOperands(s, v)
		s.roots = append(s.roots, v)
		at := tableOf(v, v.Op.Aggregate().State[0])
		if w := l.tables[at]; w != nil && w.Writer == s && w.Kind == States && w.Type == v.Type.Kind {
			l.publish(w, v)
			return
		}
		w := l.defineResult(s, v)
		l.tables[at] = w
		switch f := v.Op.Aggregate().State[0]; f.Fold {
		case ir.ReduceAdd, ir.ReduceFirst, ir.ReduceLast: // an element of no rows is 0, or never read
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
	last := s
	for i, f := range states {
		if f.Holders {
			last = l.holders(s, v)
		} else if w := l.tables[tableOf(v, f)]; w != nil && w.Writer == s {
			l.writer[key{kind: States, ir: v, field: i}] = w
			continue
		}
		name := v.Name
		if name == "" {
			name = l.DomainName(out) + "_" + v.Op.String()
		}
		k := kindOf(f, v)
		w := l.define(&Value{Kind: States, IR: v, Field: i, Name: name + "_" + f.Name, Type: k, Domain: out, Fill: tile.Identity(f.Fold, k)}, last)
		if !f.Holders { // which are those of one argument
			l.tables[tableOf(v, f)] = w
		}
	}
	finish := l.shareAfter(last, groupKey{kind: Finish, domain: out, place: v.By, table: true}, v, v.Operands()...)
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

// publish makes the result v of a table that an aggregate before v has in its state.
func (l *lowering) publish(w *Value, v *ir.Value) {
	w.Kind, w.IR, w.Field, w.Name = Result, v, 0, l.names.Fresh(l.ownName(v, w.Name), "_")
	l.writer[key{kind: Result, ir: v}] = w
}

// combining returns the stage that combines rows in tables: if rows enter their keys in a
// hash table, that which enters them, unless what is combined depends on it.
func (l *lowering) combining(v *ir.Value, out *ir.Domain) *Stage {
	if isEntered(v.By) {
		if s := l.result(v.By.Args[0]).Writer; !l.dependOn(nil, v.Args, s) {
			return s
		}
	}
	return l.shareAfter(nil, groupKey{kind: Aggregate, domain: v.By.Type.Domain, out: out, place: v.By, table: true}, v, v.Operands()...)
}

// holders adds v to the stage that visits the rows again after s has found the
// extremes of all groups, and finds the rows that hold them.
func (l *lowering) holders(s *Stage, v *ir.Value) *Stage {
	h := l.shareAfter(s, groupKey{kind: Aggregate, domain: v.By.Type.Domain, out: v.By.Type.Target, table: true, second: true}, v, v.Operands()...)
	l.read(h, v.By, tile.Element, false)
	l.read(h, v.Args[0], tile.Element, false)
	if !isContiguous(v.By) {
		l.length(h, v.By.Type.Target)
	}
	l.use(h, l.writer[key{kind: States, ir: v}], tile.Gather, true)
	h.roots = append(h.roots, v)
	return h
}

// tableKey identifies what a table holds. Aggregates of one grouping share the
// tables that are equal, such as the count of rows of several averages.
type tableKey struct {
	by, x   *ir.Value // x is nil where rows contribute their number, or 1
	fold    ir.ReduceOp
	element ir.AggregateElement
	kind    ir.Kind
}

// tableOf returns the key of the table that holds field f of the state of v. An element
// that depends on the argument has it in the key, or two columns would share a table.
func tableOf(v *ir.Value, f ir.StateField) tableKey {
	k := tableKey{by: v.By, fold: f.Fold, element: f.Element, kind: kindOf(f, v)}
	switch f.Element {
	case ir.ElementArgument:
		if len(v.Args) == 0 {
			k.element = ir.ElementOne
			break
		}
		k.x = v.Args[0]
	case ir.ElementOne, ir.ElementRow:
	default:
		panic(fmt.Sprintf("fuse: no table of element %d of %v", f.Element, v.Op))
	}
	return k
}

// isResultTable reports whether the table of an aggregate is its result. It is not
// if the state has several fields, or if a group may be empty and has no result
// then: that takes a count of rows beside the state.
func isResultTable(v *ir.Value) bool {
	a := v.Op.Aggregate()
	return a.Finish == ir.FinishField && (a.NoRows == ir.NoRowsIdentity || isContiguous(v.By))
}

// tableState lists the fields of the tables of an aggregate whose table is not its
// result: its state and, unless the number of a row says whether there are rows, the
// number of rows. For the first or the last row of a group, the table has the number
// of that row.
func tableState(v *ir.Value) []ir.StateField {
	a := v.Op.Aggregate()
	fields := slices.Clone(a.State)
	if a.IsEdge() {
		fields[0] = rowOf(fields[0].Fold)
	}
	if !a.GivesRow() && !slices.ContainsFunc(fields, ir.StateField.CountsRows) {
		fields = append(fields, ir.CountOfRows)
	}
	return fields
}

// rowOf returns the field that holds the number of the first or the last row.
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
	if v.By != nil && v.By.Type.Target.Kind == ir.DomainEvery { // sums that the compiler makes, of a kind that suffices
		return v.Type.Kind
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

// share returns the stage of kind over domain that makes the rows of out. The
// stage is new if there is none yet, or if operands depend on it.
func (l *lowering) share(kind StageKind, v *ir.Value, domain, out *ir.Domain, operands ...*ir.Value) *Stage {
	return l.shareAfter(nil, groupKey{kind: kind, domain: domain, out: out}, v, operands...)
}

// shareAfter is share for a stage that also reads the results of stage before, if
// that is not nil.
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
