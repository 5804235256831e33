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
	segments := k.Closing()
	if segments == 0 {
		return k
	}
	r := &keeping{old: k, segments: segments, now: map[ID]ID{}, done: make([]bool, len(k.Ops)), result: map[int][]*Expr{}}
	for i, op := range k.With((*Op).Cuts) {
		if op.Domain > 0 && k.Inside(op.Domain, segments) {
			r.kept = append(r.kept, i)
		}
	}
	if len(r.kept) == 0 || !r.makeMonoid() {
		return k
	}
	return r.rebuild()
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
	kept     []int // scans over kept segments
	scans    []int // what masks and these scans need of segments: scans of rows

	monoid *Monoid
	fold   map[int]int     // per kept scan: its field of the monoid
	given  map[int]*Expr   // per kept scan: what the segment of the state adds to it, over fields of A
	front  map[int]int     // per scan of rows: the first of its fields, of the rows before the first head
	open   map[int]int     // likewise, of those since the last head
	result map[int][]*Expr // per scan of rows: what it has of the segment at hand

	numbered bool // something asks for the number of a segment, kept or not

	now  map[ID]ID // the new values
	made []ID      // results of the new scan, once it is there
	done []bool
}

// makeMonoid makes the monoid, and reports whether it could.
func (r *keeping) makeMonoid() bool {
	k := r.old
	for _, i := range r.kept {
		op := &k.Ops[i]
		decides := k.Numbers(i)
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
	begun := r.field(m, "begun", ir.Bool, ir.BoolScalar(false), false)
	m.Combine = append(m.Combine, apply(ir.OpLogicalOr, ir.Bool, field(A, begun, ir.Bool), field(B, begun, ir.Bool)))
	r.front, r.open = map[int]int{}, map[int]int{}
	for _, i := range r.scans {
		r.addScan(m, i)
	}
	closes := apply(ir.OpLogicalAnd, ir.Bool, field(A, begun, ir.Bool), field(B, begun, ir.Bool))
	r.fold, r.given = map[int]int{}, map[int]*Expr{}
	terms := 0
	for _, i := range r.kept {
		op := &k.Ops[i]
		of := op.Monoid.Fields[0]
		f := r.field(m, r.name(op, 0)+"_kept", of.Kind, op.Monoid.Identity[0], k.IsConst(op.Args[0], 1))
		r.fold[i] = f
		r.setResults(true)
		more := apply(ir.OpSelect, of.Kind, r.all(closes, op.Domain), r.expr(op.Args[0]), constant(op.Monoid.Identity[0]))
		m.Combine = append(m.Combine, op.Monoid.over(op.Monoid.over(field(A, f, of.Kind), more), field(B, f, of.Kind)))
		terms += m.Combine[f].size()
		r.setResults(false)
		r.given[i] = apply(ir.OpSelect, of.Kind, r.all(field(A, begun, ir.Bool), op.Domain), r.expr(op.Args[0]), constant(op.Monoid.Identity[0]))
	}
	r.monoid = m
	return terms <= maxKeptTerms && m.verify() == nil
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

// over applies the combination of the only field to two expressions.
func (m *Monoid) over(a, b *Expr) *Expr {
	return m.Combine[0].with(func(leaf *Expr) *Expr {
		if leaf.Side == A {
			return a
		}
		return b
	})
}

// addScan adds what masks need of a scan of rows, at both ends.
func (r *keeping) addScan(m *Monoid, i int) {
	op := &r.old.Ops[i]
	of := op.Monoid
	fields, from := r.fieldsOf(i)
	ends := [2]int{len(m.Fields), len(m.Fields) + len(fields)}
	r.front[i], r.open[i] = ends[0], ends[1]
	for end, name := range []string{"_front", "_open"} {
		for j, f := range fields {
			counts := of.Kind == Segmented && r.old.IsConst(op.Args[from], 1) && adds(of.Combine[from])
			r.field(m, r.name(op, from+j)+name, f.Kind, of.Identity[from+j], counts)
		}
		for j, f := range fields {
			at := ends[end] + j
			both := r.inner(i, j, ends[end], ends[end])
			if end == 0 {
				m.Combine = append(m.Combine, apply(ir.OpSelect, f.Kind, field(A, 0, ir.Bool), field(A, at, f.Kind), both))
			} else {
				m.Combine = append(m.Combine, apply(ir.OpSelect, f.Kind, field(B, 0, ir.Bool), field(B, at, f.Kind), both))
			}
		}
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
	combine := m.Combine[from+j]
	if m.Kind == Segmented {
		combine, _ = m.Restart(from + j)
	}
	return combine.with(func(leaf *Expr) *Expr {
		at := leaf.Field - from
		if leaf.Side == A {
			return field(A, a+at, leaf.Kind)
		}
		return field(B, b+at, leaf.Kind)
	})
}

// setResults says what scans of rows have of a segment: of the one that lies between two states, or
// of the one that is open behind A.
func (r *keeping) setResults(between bool) {
	for _, i := range r.scans {
		fields, from := r.fieldsOf(i)
		r.result[i] = make([]*Expr, from+len(fields))
		for j, f := range fields {
			if between {
				r.result[i][from+j] = r.inner(i, j, r.open[i], r.front[i])
			} else {
				r.result[i][from+j] = field(A, r.open[i]+j, f.Kind)
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
	case !op.Cuts() || op.Domain != 0:
		return false
	}
	_, from := r.fieldsOf(i)
	if slices.Index(op.Res, v) < from || op.Segment != k.Domains[r.segments].Guard && !k.KeepsLast(op) || decides && !op.Monoid.isExact() {
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

// isExact reports whether states combine to the same bits in whatever order: nothing is rounded.
func (m *Monoid) isExact() bool {
	var rounds func(e *Expr) bool
	rounds = func(e *Expr) bool {
		return e.Kind.IsFloat() && (e.Operator == ir.OpAdd || e.Operator == ir.OpMul) || slices.ContainsFunc(e.Args, rounds)
	}
	return !slices.ContainsFunc(m.Combine, rounds)
}

// size counts the operators of an expression.
func (e *Expr) size() int {
	n := 1
	for _, arg := range e.Args {
		n += arg.size()
	}
	return n
}

// all returns whether a condition holds and a segment is one of domain d.
func (r *keeping) all(condition *Expr, d int) *Expr {
	if d == r.segments {
		return condition
	}
	domain := &r.old.Domains[d]
	return apply(ir.OpLogicalAnd, ir.Bool, r.all(condition, domain.Parent), r.expr(domain.Guard))
}

// expr returns v of a segment.
func (r *keeping) expr(v ID) *Expr {
	value := r.old.Values[v]
	op := &r.old.Ops[value.Op]
	switch {
	case op.Kind == Const:
		return constant(op.Const)
	case op.Kind == Scalar:
		return &Expr{Kind: value.Kind, Scalar: op.Ref}
	case op.Cuts():
		return r.result[value.Op][slices.Index(op.Res, v)]
	}
	args := make([]*Expr, len(op.Args))
	for i, arg := range op.Args {
		args[i] = r.expr(arg)
	}
	return apply(op.Operator, value.Kind, args...)
}

// rebuild makes the kernel with the new scan in place of those that it stands for.
func (r *keeping) rebuild() *Kernel {
	k := r.old
	r.Builder = NewBuilder(k.Name, "", "")
	r.numbered = k.asksForNumber(r.segments)
	out := r.Kernel
	out.Chunk, out.Stages, out.Streams, out.Domains = k.Chunk, k.Stages, slices.Clone(k.Streams), slices.Clone(k.Domains)
	for i := range k.Ops {
		if k.Ops[i].HasEffect() {
			r.op(i)
		}
	}
	for i := range out.Domains {
		d := &out.Domains[i]
		if i == 0 || !r.isUsed(i) {
			continue
		}
		d.Guard, d.Open = r.value(d.Guard), r.value(d.Open)
		if i == r.segments && !r.numbered {
			d.Counter, d.Position = 0, 0
			continue
		}
		counter := d.Counter
		d.Counter, d.Position = r.value(d.Counter), r.value(d.Position)
		if counter != 0 && slices.Contains(r.kept, k.Values[counter].Op) {
			d.Counter = 0
		}
	}
	return r.Finish().Pruned()
}

// asksForNumber reports whether anything but the domain itself needs to know how many segments there
// are before one that closes in d.
func (k *Kernel) asksForNumber(d int) bool {
	domain := &k.Domains[d]
	return slices.ContainsFunc(k.Ops, func(op Op) bool {
		isOpen := len(op.Res) == 1 && (op.Res[0] == domain.Open || op.Res[0] == domain.Position)
		return slices.Contains(op.Args, domain.Position) || slices.Contains(op.Args, domain.Counter) && !isOpen
	})
}

// isUsed reports whether operations run for rows of domain d.
func (r *keeping) isUsed(d int) bool {
	return slices.ContainsFunc(r.Kernel.Ops, func(op Op) bool { return op.Domain != Uniform && r.old.Inside(op.Domain, d) })
}

// value returns the new value of v, and writes what it needs.
func (r *keeping) value(v ID) ID {
	if v == 0 {
		return 0
	}
	r.op(r.old.Values[v].Op)
	return r.now[v]
}

// op writes what there is in place of an operation.
func (r *keeping) op(i int) {
	if r.done[i] {
		return
	}
	r.done[i] = true
	k := r.old
	op := k.Ops[i]
	r.Stage, r.Pos = op.Stage, op.Pos
	if _, isScan := r.front[i]; isScan {
		r.scan()
		fields, from := r.fieldsOf(i)
		for j := range fields {
			r.now[op.Res[from+j]] = r.made[r.open[i]+j]
		}
		return
	}
	if !r.numbered && len(op.Res) == 1 && op.Res[0] == k.Domains[r.segments].Open {
		r.scan()
		r.now[op.Res[0]] = r.made[0]
		return
	}
	for _, condition := range k.Conditions(op.Domain) {
		r.value(condition)
	}
	if f, isKept := r.fold[i]; isKept {
		r.scan()
		r.now[op.Res[0]] = r.made[f]
		if !op.Exclusive {
			x := r.value(op.Args[0])
			r.now[op.Res[0]] = r.Expand(op.Domain, op.Monoid.Combine[0], []ID{r.made[f]}, []ID{x})
		}
		return
	}
	if scan := k.totalOf(&op); scan >= 0 {
		if f, isKept := r.fold[scan]; isKept {
			r.scan()
			r.now[op.Res[0]] = r.total(scan, f)
			return
		}
	}
	args := make([]ID, len(op.Args))
	for j, arg := range op.Args {
		args[j] = r.value(arg)
	}
	r.Stage, r.Pos = op.Stage, op.Pos
	results := op.Res
	op.Args, op.Res, op.Segment = args, nil, r.value(op.Segment)
	for _, v := range results {
		value := k.Values[v]
		id := r.Builder.value(value.Kind, value.Domain, value.Name)
		r.Kernel.Values[id].Likely = value.Likely
		r.now[v] = id
		op.Res = append(op.Res, id)
	}
	r.Kernel.Ops = append(r.Kernel.Ops, op)
}

// totalOf returns the scan of which an operation has the total, or -1.
func (k *Kernel) totalOf(op *Op) int {
	if op.Kind != Total {
		return -1
	}
	return k.Values[op.Args[0]].Op
}

// scan writes the new scan.
func (r *keeping) scan() {
	if r.made != nil {
		return
	}
	k, m := r.old, r.monoid
	head := r.value(k.Domains[r.segments].Guard)
	elements := make([]ID, len(m.Fields))
	for f := range elements {
		elements[f] = r.Const(m.Identity[f])
	}
	elements[0] = head
	for _, i := range r.scans {
		fields, from := r.fieldsOf(i)
		for j, f := range fields {
			x := r.value(k.Ops[i].Args[from+j])
			elements[r.open[i]+j] = x
			elements[r.front[i]+j] = r.Map(0, ir.OpSelect, f.Kind, "", head, r.Const(m.Identity[r.front[i]+j]), x)
		}
	}
	r.made = r.Scan(0, m, true, "", elements...)
}

// total returns the fold of all kept segments, the one among them that is open at the end.
func (r *keeping) total(scan, f int) ID {
	totals := make([]ID, len(r.made))
	for i, v := range r.made {
		totals[i] = r.Total(v, "")
	}
	m := r.old.Ops[scan].Monoid
	last := r.Expand(Uniform, r.given[scan], totals, nil)
	return r.Expand(Uniform, m.Combine[0], []ID{totals[f]}, []ID{last})
}
