package tile

import (
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// Whether a group is kept that begins and ends within some rows follows from these alone.
// Undecided are the groups that are open at their two ends. So what rows leave of kept groups is
// a monoid: whether a group has begun, the aggregates of the rows before the first head and of
// those since the last one, and folds of the kept groups between. To combine two states closes
// the group that lies between them, and asks its mask there. One prefix tells what takes two
// if groups are numbered before masks are asked.

// KeptAtOnce returns the kernel with folds over kept segments, and their numbers, in the cut in
// which segments are folded; or k, if they cannot be.
func (k *Kernel) KeptAtOnce() *Kernel {
	if segments := k.Closing(); segments > 0 {
		at, _ := k.closeAtOnce(segments)
		return at
	}
	at := k
	for d := len(k.Domains) - 1; d > 0; d-- {
		if k.Domains[d].Kind != Close {
			continue
		}
		var ok bool
		if at, ok = at.closeAtOnce(d); !ok || len(at.Domains) != len(k.Domains) {
			return k
		}
	}
	if at == k || at.CountCuts() > 1 {
		return k
	}
	return at
}

// closeAtOnce returns the kernel with all that follows from segments in one scan of the rows that these are made of.
func (k *Kernel) closeAtOnce(segments int) (at *Kernel, ok bool) {
	domain := &k.Domains[segments]
	if domain.Counter == 0 {
		return k, false
	}
	r := k.keeping(segments)
	if domain.Parent > 0 {
		r.filtered = &filtered{lasts: map[int]int{}}
		if k.asksForNumber(segments) {
			r.kept = append(r.kept, k.Values[domain.Counter].Op)
		}
	}
	if len(r.kept) == 0 {
		return k, true
	}
	if !r.makeMonoid() {
		return k, false
	}
	return r.rebuild(), true
}

// keeping prepares to make the kernel anew.
func (k *Kernel) keeping(segments int) *keeping {
	r := &keeping{old: k, segments: segments, rows: k.Domains[segments].Parent, now: map[ID]ID{}, done: make([]bool, len(k.Ops)), known: map[known]*Expr{}, asked: map[asked]*Expr{}}
	for i, op := range k.With((*Op).Cuts) {
		if op.Domain > 0 && k.Inside(op.Domain, segments) {
			r.kept = append(r.kept, i)
		}
	}
	return r
}

// Closes reports whether the operation is a scan that closes segments where states meet.
func (op *Op) Closes() bool { return op.Cuts() && op.Monoid != nil && op.Monoid.Kind == Closing }

// Closes returns the scan that closes segments where states meet, if there is one.
func (k *Kernel) Closes() (scan *Op, ok bool) {
	for _, op := range k.With((*Op).Closes) {
		return op, true
	}
	return nil, false
}

// maxKeptTerms bounds the operators of a combination: it is written wherever states meet.
const maxKeptTerms = 256

// keeping makes the kernel anew.
type keeping struct {
	*Builder
	old      *Kernel
	segments int
	rows     int       // of which segments are made
	filtered *filtered // rows of a filter
	kept     []int     // scans over kept segments
	scans    []int     // what masks and these scans need of segments: scans of rows

	monoid *Monoid
	fold   map[int]int     // per kept scan: the first of its fields of the monoid
	closed map[int][]*Expr // per kept scan: its fold of all segments that have closed within A, of which nothing is before
	whole  map[int][]*Expr // likewise, and of the one that is open
	front  map[int]int     // per scan of rows: the first of its fields, of the rows before the first head
	open   map[int]int     // likewise, of those since the last head

	at      segment                       // at hand
	results [frontOfB + 1]map[int][]*Expr // per scan of rows: what it has of a segment
	known   map[known]*Expr
	asked   map[asked]*Expr

	numbered bool // something asks for the number of a segment, kept or not

	now  map[ID]ID // the new values
	made []ID      // results of the new scan, once it is there
	done []bool
}

// known is a value of a segment, and asked whether a condition holds and a segment is one of a domain.
type (
	known struct {
		of segment
		v  ID
	}
	asked struct {
		of        segment
		condition *Expr
		domain    int
	}
)

// makeMonoid makes the monoid, and reports whether it could.
func (r *keeping) makeMonoid() bool {
	k := r.old
	for _, i := range r.kept {
		op := &k.Ops[i]
		if r.isNumber(i) {
			continue
		}
		decides := k.Numbers(i) || op.Closes()
		for _, arg := range op.Args {
			if !r.find(arg, decides) {
				return false
			}
		}
		for d := op.Domain; d != r.segments; d = k.Domains[d].Parent {
			if !r.find(k.Domains[d].Guard, true) {
				return false
			}
		}
	}
	slices.Sort(r.scans)
	m := &Monoid{Kind: Closing}
	begun := field(A, r.field(m, "begun", ir.Bool, ir.BoolScalar(false), false), ir.Bool)
	later, isOpen := field(B, 0, ir.Bool), begun
	m.Combine = []*Expr{nil}
	if r.filtered != nil {
		if !r.addHeads(m) {
			return false
		}
		later, isOpen = apply(ir.OpLogicalOr, ir.Bool, later, r.filtered.opens), field(A, presentField, ir.Bool)
	}
	m.Combine[0] = apply(ir.OpLogicalOr, ir.Bool, begun, later)
	r.front, r.open = map[int]int{}, map[int]int{}
	for _, i := range r.scans {
		r.addScan(m, i)
	}
	if r.filtered != nil {
		r.addOthers(m)
	}
	r.fold, r.closed, r.whole = map[int]int{}, map[int][]*Expr{}, map[int][]*Expr{}
	closes := apply(ir.OpLogicalAnd, ir.Bool, begun, later)
	var first *Expr // the rows before the first head of B are a segment, as its first row is a head
	if r.filtered != nil {
		first = apply(ir.OpLogicalAnd, ir.Bool, r.filtered.opens, field(B, 0, ir.Bool))
	}
	for _, i := range r.kept {
		op := &k.Ops[i]
		r.fold[i] = len(m.Fields)
		var earlier, later []*Expr
		for j, of := range op.Monoid.Fields {
			f := r.field(m, r.name(op, j)+"_kept", of.Kind, op.Monoid.Identity[j], of.Counts || r.isOne(i))
			earlier, later = append(earlier, field(A, f, of.Kind)), append(later, field(B, f, of.Kind))
		}
		all := op.Monoid.over(earlier, r.given(i, closes, between))
		r.closed[i] = earlier
		if r.filtered != nil {
			all = op.Monoid.over(all, r.given(i, first, frontOfB))
			r.closed[i] = op.Monoid.over(r.given(i, begun, frontOfA), earlier)
		}
		m.Combine = append(m.Combine, op.Monoid.over(all, later)...)
		r.whole[i] = share(op.Monoid.over(r.closed[i], r.given(i, isOpen, openOfA)))
		r.closed[i] = share(r.closed[i])
	}
	m.Combine = share(m.Combine)
	r.monoid = m
	return countOperators(m.Combine) <= maxKeptTerms && m.verify() == nil
}

// given returns what a segment adds to kept scan i if a condition holds.
func (r *keeping) given(i int, condition *Expr, which segment) []*Expr {
	op := &r.old.Ops[i]
	r.setResults(which)
	if r.isNumber(i) {
		return []*Expr{apply(ir.OpSelect, ir.I64, condition, constant(ir.Int(ir.I64, 1)), constant(op.Monoid.Identity[0]))}
	}
	condition = r.all(condition, op.Domain)
	list := make([]*Expr, len(op.Args))
	for j, arg := range op.Args {
		x, identity := r.expr(arg), op.Monoid.Identity[j]
		switch {
		case x.Operator == ir.OpConst && x.Const == identity:
			list[j] = x
		case x.Operator == ir.OpConst && x.Kind == ir.Bool && identity.Bits == 0:
			list[j] = condition
		default:
			list[j] = apply(ir.OpSelect, x.Kind, condition, x, constant(identity))
		}
	}
	return list
}

// isNumber reports whether kept scan i counts all segments, so that it is a scan of rows.
func (r *keeping) isNumber(i int) bool { return r.old.Ops[i].Domain == r.rows }

// isOne reports whether kept scan i counts segments.
func (r *keeping) isOne(i int) bool {
	op := &r.old.Ops[i]
	return r.isNumber(i) || op.Monoid.isSum() && r.old.IsConst(op.Args[0], 1)
}

// name returns what a field of a scan is called.
func (r *keeping) name(op *Op, f int) string {
	if name := r.old.Values[op.Res[f]].Name; name != "" {
		return name
	}
	return op.Monoid.Fields[f].Name
}

// field adds a field to a monoid, whose name is of no other; its combination comes next.
func (r *keeping) field(m *Monoid, name string, k ir.Kind, identity ir.Scalar, counts bool) int {
	for slices.ContainsFunc(m.Fields, func(f Field) bool { return f.Name == name }) {
		name += "_"
	}
	m.Fields = append(m.Fields, Field{Name: name, Kind: k, Counts: counts})
	m.Identity = append(m.Identity, identity)
	return len(m.Fields) - 1
}

// over combines two states that expressions tell.
func (m *Monoid) over(a, b []*Expr) []*Expr {
	return with(m.Combine, func(leaf *Expr) *Expr {
		if leaf.Side == A {
			return a[leaf.Field]
		}
		return b[leaf.Field]
	})
}

// addScan adds what masks need of a scan of rows, at both ends.
func (r *keeping) addScan(m *Monoid, i int) {
	fields, _ := r.fieldsOf(i)
	r.front[i], r.open[i] = len(m.Fields), len(m.Fields)+len(fields)
	r.addEnd(m, i, A, "_front")
	r.addEnd(m, i, B, "_open")
}

// addEnd adds what a scan has of the rows at one end, which are those of one state where a segment has begun in it, and
// else of both.
func (r *keeping) addEnd(m *Monoid, i int, side Side, name string) {
	op := &r.old.Ops[i]
	fields, from := r.fieldsOf(i)
	first := len(m.Fields)
	for j, f := range fields {
		counts := op.Monoid.Kind == Segmented && r.old.IsConst(op.Args[from], 1) && adds(op.Monoid.Combine[from])
		r.field(m, r.name(op, from+j)+name, f.Kind, op.Monoid.Identity[from+j], counts)
	}
	ends := field(side, 0, ir.Bool)
	if r.filtered != nil {
		ends = apply(ir.OpLogicalOr, ir.Bool, ends, r.filtered.opens)
	}
	for j, f := range fields {
		m.Combine = append(m.Combine, apply(ir.OpSelect, f.Kind, ends, field(side, first+j, f.Kind), r.inner(i, j, first, first)))
	}
}

// adds reports whether a combination is a sum, or one that starts anew at heads.
func adds(e *Expr) bool {
	if e.Operator == ir.OpSelect {
		e = e.Args[2]
	}
	return e.Operator == ir.OpAdd
}

// fieldsOf returns what a scan of rows folds within a segment: its fields from one on.
func (r *keeping) fieldsOf(i int) (fields []Field, from int) {
	m := r.old.Ops[i].Monoid
	if m.Kind == Segmented {
		from = 1
	}
	return m.Fields[from:], from
}

// inner combines a field of a scan within a segment: the earlier state is at fields of A, the later one
// at fields of B.
func (r *keeping) inner(i, j, a, b int) *Expr {
	m := r.old.Ops[i].Monoid
	_, from := r.fieldsOf(i)
	if r.isFirst(i) {
		m = NewFirst(m.Fields[1].Kind)
	}
	combine := m.Combine[from+j]
	if m.Kind == Segmented {
		combine, _ = m.Restart(from + j)
	}
	return with([]*Expr{combine}, func(leaf *Expr) *Expr {
		at := leaf.Field - from
		if leaf.Side == A {
			return field(A, a+at, leaf.Kind)
		}
		return field(B, b+at, leaf.Kind)
	})[0]
}

// segment is one of those that two states tell of.
type segment uint8

const (
	between  segment = iota // begins in A, and ends in B
	openOfA                 // begins in A
	frontOfA                // ends in A
	frontOfB                // ends in B
)

// setResults says what scans of rows have of a segment.
func (r *keeping) setResults(of segment) {
	if r.at = of; r.results[of] != nil {
		return
	}
	r.results[of] = map[int][]*Expr{}
	for _, i := range r.scans {
		fields, from := r.fieldsOf(i)
		result := make([]*Expr, from+len(fields))
		r.results[of][i] = result
		for j, f := range fields {
			open, front := r.open[i]+j, r.front[i]+j
			switch of {
			case between:
				result[from+j] = r.inner(i, j, r.open[i], r.front[i])
				if r.filtered != nil {
					result[from+j] = apply(ir.OpSelect, f.Kind, r.filtered.opens, field(A, open, f.Kind), result[from+j])
				}
			case openOfA:
				result[from+j] = field(A, open, f.Kind)
			case frontOfA:
				result[from+j] = field(A, front, f.Kind)
			case frontOfB:
				result[from+j] = field(B, front, f.Kind)
			}
		}
	}
}

// find finds the scans of rows that v, of a segment, follows from, and reports whether it is an expression of
// these. If it decides which segments are kept, it must be the same in whatever order rows are folded.
func (r *keeping) find(v ID, decides bool) bool {
	k := r.old
	i := k.Values[v].Op
	op := &k.Ops[i]
	switch {
	case op.IsKnownBefore():
		return op.Kind != Length
	case op.IsMap():
		return !slices.ContainsFunc(op.Args, func(arg ID) bool { return !r.find(arg, decides) })
	case !op.Cuts() || op.Domain != r.rows || !op.Exclusive:
		return false
	}
	_, from := r.fieldsOf(i)
	if slices.Index(op.Res, v) < from || op.Segment != k.Domains[r.segments].Guard && !k.KeepsLast(op) || decides && !op.Monoid.IsExact() {
		return false
	}
	for f := range op.Res[from:] {
		if _, ok := op.Monoid.Restart(from + f); from > 0 && !ok {
			return false
		}
	}
	if !slices.Contains(r.scans, i) {
		r.scans = append(r.scans, i)
	}
	return true
}

// IsExact reports whether states combine to the same bits in whatever order: nothing is rounded.
func (m *Monoid) IsExact() bool {
	var rounds func(e *Expr) bool
	rounds = func(e *Expr) bool {
		return e.Kind.IsFloat() && (e.Operator == ir.OpAdd || e.Operator == ir.OpMul) || slices.ContainsFunc(e.Args, rounds)
	}
	return !slices.ContainsFunc(m.Combine, rounds)
}

// all returns whether a condition holds and a segment is one of domain d.
func (r *keeping) all(condition *Expr, d int) *Expr {
	if d == r.segments {
		return condition
	}
	key := asked{r.at, condition, d}
	if r.asked[key] == nil {
		domain := &r.old.Domains[d]
		r.asked[key] = apply(ir.OpLogicalAnd, ir.Bool, r.all(condition, domain.Parent), r.expr(domain.Guard))
	}
	return r.asked[key]
}

// expr returns v of a segment, as one expression wherever it is asked for.
func (r *keeping) expr(v ID) *Expr {
	key := known{r.at, v}
	if r.known[key] == nil {
		r.known[key] = r.newExpr(v)
	}
	return r.known[key]
}

func (r *keeping) newExpr(v ID) *Expr {
	value := r.old.Values[v]
	op := &r.old.Ops[value.Op]
	switch {
	case op.Kind == Const:
		return constant(op.Const)
	case op.Kind == Scalar:
		return &Expr{Kind: value.Kind, Scalar: op.Ref}
	case op.Cuts():
		return r.results[r.at][value.Op][slices.Index(op.Res, v)]
	}
	args := make([]*Expr, len(op.Args))
	for i, arg := range op.Args {
		args[i] = r.expr(arg)
	}
	return apply(op.Operator, value.Kind, args...)
}
