package tile

import (
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// Where segments are made of rows that a filter keeps, a head follows from such a row and the one before,
// which may be any number of rows away. So the first row of a state may be a head or not. The state has
// what a head needs of its first row and of its last one. To combine two states asks whether the
// first row of the later one is a head. If it is, the rows before that state's first other head are a segment of
// their own, and else they continue the one that is open before.

// filtered is what a state has of heads, besides what others have.
type filtered struct {
	opens  *Expr       // whether the first row of B begins a segment behind the rows of A
	lasts  map[int]int // per scan that keeps the last row, if heads ask: its field
	firsts []ID        // what heads need of the row itself
	first  []int       // their fields
}

// presentField is whether a state of filtered has any row.
const presentField = 1

// isOfRow reports whether v follows from no other row of which segments are made.
func (r *keeping) isOfRow(v ID) bool {
	op := &r.old.Ops[r.old.Values[v].Op]
	if op.Cuts() && r.old.Inside(op.Domain, r.rows) {
		return false
	}
	return !slices.ContainsFunc(op.Args, func(arg ID) bool { return !r.isOfRow(arg) })
}

// isFirstRow reports whether an operation asks whether no row of the domain came before.
func (r *keeping) isFirstRow(op *Op) bool {
	if op.Kind != Map || op.Operator != ir.OpEq || !r.old.IsConst(op.Args[1], 0) {
		return false
	}
	count := &r.old.Ops[r.old.Values[op.Args[0]].Op]
	return count.Cuts() && count.Domain == r.rows && count.Exclusive && count.Monoid.isSum() && r.old.IsConst(count.Args[0], 1)
}

// addHeads adds what heads need of both ends, and reports whether they can be asked of these.
func (r *keeping) addHeads(m *Monoid) bool {
	r.field(m, "present", ir.Bool, ir.BoolScalar(false), false)
	present := func(side Side) *Expr { return field(side, presentField, ir.Bool) }
	m.Combine = append(m.Combine, apply(ir.OpLogicalOr, ir.Bool, present(A), present(B)))
	head := r.head(m, r.old.Domains[r.segments].Guard)
	if head == nil {
		return false
	}
	r.filtered.opens = apply(ir.OpLogicalAnd, ir.Bool, apply(ir.OpLogicalAnd, ir.Bool, present(A), present(B)), head)
	return true
}

// head returns v, of a head, for the first row of B behind the last one of A, or nil.
func (r *keeping) head(m *Monoid, v ID) *Expr {
	k := r.old
	value := k.Values[v]
	op := &k.Ops[value.Op]
	switch {
	case op.Kind == Const:
		return constant(op.Const)
	case op.Kind == Scalar:
		return &Expr{Kind: value.Kind, Scalar: op.Ref}
	case r.isFirstRow(op):
		return constant(ir.BoolScalar(false))
	case r.isOfRow(v):
		return r.firstOf(m, v)
	case op.Cuts() && op.Domain == r.rows && op.Exclusive && k.KeepsLast(op) && v == op.Res[0]:
		return constant(ir.BoolScalar(true))
	case op.Cuts() && op.Domain == r.rows && op.Exclusive && k.KeepsLast(op):
		return r.lastOf(m, value.Op)
	case !op.IsMap():
		return nil
	}
	args := make([]*Expr, len(op.Args))
	for i, arg := range op.Args {
		if args[i] = r.head(m, arg); args[i] == nil {
			return nil
		}
	}
	return simple(apply(op.Operator, value.Kind, args...))
}

// firstOf returns v of the first row of B.
func (r *keeping) firstOf(m *Monoid, v ID) *Expr {
	kind := r.old.Values[v].Kind
	if i := slices.Index(r.filtered.firsts, v); i >= 0 {
		return field(B, r.filtered.first[i], kind)
	}
	f := r.field(m, "first", kind, ir.Scalar{Kind: kind}, false)
	m.Combine = append(m.Combine, apply(ir.OpSelect, kind, field(A, presentField, ir.Bool), field(A, f, kind), field(B, f, kind)))
	r.filtered.firsts, r.filtered.first = append(r.filtered.firsts, v), append(r.filtered.first, f)
	return field(B, f, kind)
}

// lastOf returns what scan i keeps of the last row of A.
func (r *keeping) lastOf(m *Monoid, i int) *Expr {
	kind := r.old.Ops[i].Monoid.Fields[1].Kind
	f, added := r.filtered.lasts[i]
	if !added {
		f = r.field(m, "last", kind, ir.Scalar{Kind: kind}, false)
		m.Combine = append(m.Combine, apply(ir.OpSelect, kind, field(B, presentField, ir.Bool), field(B, f, kind), field(A, f, kind)))
		r.filtered.lasts[i] = f
	}
	return field(A, f, kind)
}

// addOthers adds folds of segments that no mask asks for: of the rows since the last head.
func (r *keeping) addOthers(m *Monoid) {
	for i, op := range r.old.With((*Op).Cuts) {
		if op.Domain != r.rows || !op.Exclusive || op.Segment != r.old.Domains[r.segments].Guard || slices.Contains(r.scans, i) {
			continue
		}
		r.open[i] = len(m.Fields)
		r.addEnd(m, i, B, "_open")
	}
}

// isFirst reports whether scan i keeps the row of the last head, which is the first one of the segment.
func (r *keeping) isFirst(i int) bool {
	op := &r.old.Ops[i]
	return r.filtered != nil && op.Monoid.IsLast() && op.Segment == r.old.Domains[r.segments].Guard
}

// filteredElements sets what a row has of heads.
func (r *keeping) filteredElements(elements []ID) {
	for _, condition := range r.old.Conditions(r.rows) {
		r.value(condition)
	}
	elements[presentField] = r.Const(ir.BoolScalar(true))
	for i, v := range r.filtered.firsts {
		elements[r.filtered.first[i]] = r.value(v)
	}
	for i := range r.old.Ops {
		if f, isLast := r.filtered.lasts[i]; isLast {
			elements[f] = r.value(r.old.Ops[i].Args[1])
		}
	}
}

// filteredOp writes what there is in place of operation i, if that is of heads or of numbers of segments.
func (r *keeping) filteredOp(i int) bool {
	k, op := r.old, &r.old.Ops[i]
	f, isLast := r.filtered.lasts[i]
	_, isFold := r.fold[i]
	isNumber := isFold && r.isNumber(i)
	isOpen := len(op.Res) == 1 && op.Res[0] == k.Domains[r.segments].Open
	if !isLast && !isNumber && !isOpen && !r.isFirstRow(op) {
		return false
	}
	r.scan()
	present := r.made[presentField]
	switch {
	case isLast:
		r.now[op.Res[0]], r.now[op.Res[1]] = present, r.made[f]
	case isNumber:
		r.now[op.Res[0]] = r.Expand(r.rows, r.whole[i][0], r.made, nil)
	case isOpen:
		r.now[op.Res[0]] = present
	default:
		r.now[op.Res[0]] = r.Map(r.rows, ir.OpNot, ir.Bool, "", present)
	}
	return true
}
