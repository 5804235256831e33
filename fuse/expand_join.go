package fuse

import (
	"slices"

	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// join writes join(K, K2) by two columns: the left and the right row of each pair. Often
// no two right rows have equal keys, which their table tells; then the pairs are the left
// rows for which find finds a row. Else right rows with equal keys are brought together,
// and each left row is repeated so many times as it has partners.
func (e *expansion) join(v *ir.Value) {
	o := ordering{expansion: e, pos: v.Pos}
	left, right := e.columns(v.Args[:v.Split]), e.columns(v.Args[v.Split:])
	switch o.probing {
	case plan.Sort:
		e.joins[v] = o.merged(o.sortedBy(right), left, e.domain(v.Type.Domain))
		return
	case plan.Loops:
		e.joins[v] = o.nestedJoin(left, right, e.domain(v.Type.Domain))
		return
	}
	t := o.tableOf(right, left[0], true)
	out := e.domain(v.Type.Domain)
	j := &joined{out: out}
	if t.parted != nil && e.foldsInAnyOrder(v) {
		o.isWhole = true
		t = o.tableOf(right, left[0], true)
		j.parts, j.isParted = o.joinedByParts(v, left, right), t.parted
	}
	if !o.entersCodes(t) {
		j.isUnique = o.areDifferent(t)
	}
	if column, ok := e.lookedUpPartner(v); ok {
		j.lookup = o.lookup(t, left, column)
		j.hasPartner = o.apply(ir.OpNe, j.lookup.code, o.constant(ir.Int(j.lookup.code.Type.Kind, 0)))
	} else {
		j.partner = o.foundRow(t, left)
		j.partner.Type.Target = right[0].Type.Domain
		j.hasPartner = o.apply(ir.OpGe, j.partner, o.number(0))
	}
	switch {
	case j.isUnique != nil:
	case j.lookup != nil:
		j.isUnique = o.hasAll(right[0], o.distinct(t, o.codeTables[codesKey{keys: t.name(), column: j.lookup.column}]))
	default:
		j.isUnique = o.hasAll(right[0], o.distinct(t, o.codesOfRows(t)))
	}
	j.row = o.index(left[0], left[0].Type.Domain)
	j.found = e.newDomain(ir.DomainMask, out.Name+"_found", left[0].Type.Domain)
	j.found.By = j.hasPartner
	j.left, j.right = o.repeated(t, left, j.lookup == nil, e.newDomain(ir.DomainJoin, out.Name+"_repeated", left[0].Type.Domain))
	out.Kind, out.By = ir.DomainEither, nil
	e.joins[v] = j
}

// hasAll returns 1 if there are so many different keys as rows of x, else 0.
func (o *ordering) hasAll(x, distinct *ir.Value) *ir.Value {
	return o.choose(o.apply(ir.OpEq, distinct, o.length(x)), o.number(1), o.number(0))
}

// lookedUpPartner returns the one narrow column that is read at the right rows of a join, nil
// if none is; ok is false if more is asked of them.
func (e *expansion) lookedUpPartner(join *ir.Value) (column *ir.Value, ok bool) {
	for _, right := range e.from.Values {
		if right.Op != ir.OpRight || right.Args[0] != join {
			continue
		}
		for _, u := range e.from.Values {
			if slices.Contains(u.Operands(), right) && u.Op != ir.OpGather {
				return nil, false
			}
		}
		x, isOne := e.lookedUp(join, right)
		if !isOne || column != nil && x != nil && x != column {
			return nil, false
		}
		if x != nil {
			column = x
		}
	}
	return column, true
}

// joined is a join, in both ways if it is made by a table.
type joined struct {
	left, right *ir.Value // the rows of each pair, where left rows are repeated

	isUnique     *ir.Value    // an i64 scalar: whether no two right rows have equal keys; nil if that is not asked
	row, partner *ir.Value    // of each left row: its number, and the right row that is found, unless that is looked up
	lookup       *lookup      // of each left row: what of the right row is wanted; nil if that is the row
	hasPartner   *ir.Value    // whether one is
	sides        *partedSides // in the order of parts, of which row, partner, left and right are places then; nil if rows are as they come
	found        *ir.Domain   // the left rows that have a partner
	out          *ir.Domain   // the pairs, whichever way they are made

	parts    *joined   // another way to make the pairs, in another order; nil if there is none
	isParted *ir.Value // an i64 scalar: whether it is taken
}

// paired is a column of the pairs of a join, in both ways, which is not stored yet.
type paired struct {
	*joined
	single   *ir.Value // of each left row; anything where it has no partner; nil if it is only looked up
	repeated *ir.Value // of each pair
	parts    *paired   // by parts; nil if there are none
}

// side writes the left or the right rows of the pairs of a join.
func (e *expansion) side(v *ir.Value) {
	j := e.joins[v.Args[0]]
	if j.isUnique == nil {
		e.values[v] = j.left
		if v.Op == ir.OpRight {
			e.values[v] = j.right
		}
		return
	}
	e.pairs[v] = j.side(v.Op)
}

// side returns the left or the right rows.
func (j *joined) side(op ir.Op) *paired {
	if j == nil {
		return nil
	}
	p := &paired{joined: j, single: j.row, repeated: j.left, parts: j.parts.side(op)}
	if op == ir.OpRight {
		p.single, p.repeated = j.partner, j.right
	}
	return p
}

// pair writes a column of pairs each of whose rows follows from one row of others: it is
// made in both ways, so that a left row need not be looked up, stored and read again.
func (e *expansion) pair(v *ir.Value) bool {
	if v.Type.IsScalar() || e.isChecked(v) {
		return false
	}
	if v.Op == ir.OpGather {
		at := e.pairs[v.Args[1]]
		if at == nil {
			return false
		}
		e.pairs[v] = e.gatherPairs(v.Pos, e.column(v.Args[0]), at)
		return true
	}
	if !v.Op.IsElementwise() {
		return false
	}
	if p := e.mapPairs(v, e.pairOf); p != nil {
		p.parts = e.mapPairs(v, e.partedPairOf)
		e.pairs[v] = p
		return true
	}
	return false
}

// pairOf returns v as a column of pairs, and partedPairOf that by parts; nil if it is none.
func (e *expansion) pairOf(v *ir.Value) *paired { return e.pairs[v] }

func (e *expansion) partedPairOf(v *ir.Value) *paired {
	if p := e.pairs[v]; p != nil {
		return p.parts
	}
	return nil
}

// gatherPairs returns x at the rows of pairs.
func (e *expansion) gatherPairs(pos ir.Pos, x *ir.Value, at *paired) *paired {
	if at == nil {
		return nil
	}
	p := &paired{joined: at.joined, parts: e.gatherPairs(pos, x, at.parts)}
	switch {
	case at.sides != nil && at.repeated == at.right:
		p.single, p.repeated = at.sides.rightAt(x, at.single), at.sides.rightAt(x, at.repeated)
		return p
	case at.sides != nil && at.repeated == at.left:
		p.single, p.repeated = at.sides.leftAt(x, nil), at.sides.leftAt(x, at.repeated)
		return p
	}
	p.single, p.repeated = x, e.ofPairs(pos, x, at)
	switch {
	case at.single == nil:
		p.single = (&ordering{expansion: e, pos: pos}).decode(at.lookup)
	case at.single != at.row:
		p.single = e.gather(pos, x, at.single)
	}
	return p
}

// mapPairs returns an elementwise operator of columns of pairs, nil if it is none.
func (e *expansion) mapPairs(v *ir.Value, pairOf func(*ir.Value) *paired) *paired {
	j, single, repeated := e.inBothWays(v, pairOf, func(p *paired) *ir.Value { return p.single })
	if j == nil {
		return nil
	}
	single.Type.Domain, single.Type.Target = j.row.Type.Domain, e.domain(v.Type.Target)
	repeated.Type.Domain, repeated.Type.Target = j.left.Type.Domain, single.Type.Target
	return &paired{joined: j, single: e.add(v.Pos, single), repeated: e.add(v.Pos, repeated)}
}

// ofPairs returns x at the rows of pairs where left rows are repeated. On cores a column of the
// right side is brought in the order of partners first: those of a left row then lie together.
func (e *expansion) ofPairs(pos ir.Pos, x *ir.Value, at *paired) *ir.Value {
	if rows := at.repeated; e.cores && rows == at.right {
		return e.gather(pos, e.gather(pos, x, rows.Args[0]), rows.Args[1])
	}
	return e.gather(pos, x, at.repeated)
}

// foldPairs writes an aggregate of all pairs of a join: of what both ways make, so that the
// pairs need not be stored.
func (e *expansion) foldPairs(v *ir.Value) bool {
	if !e.cores || !v.Op.IsAggregate() || v.By != nil || e.isChecked(v) {
		return false
	}
	made, j := e.foldWays(v, e.pairOf)
	if made == nil {
		return false
	}
	if byParts, _ := e.foldWays(v, e.partedPairOf); byParts != nil {
		made = e.either(j.isParted, byParts, made, made.Type)
	}
	e.values[v] = made
	e.values[v].Name = v.Name
	return true
}

// foldWays returns an aggregate of all pairs as both ways make them; nil if its operands are no columns of pairs.
func (e *expansion) foldWays(v *ir.Value, pairOf func(*ir.Value) *paired) (*ir.Value, *joined) {
	j, single, repeated := e.inBothWays(v, pairOf, func(p *paired) *ir.Value {
		return (&ordering{expansion: e, pos: v.Pos}).compact(p.single, p.hasPartner, p.found)
	})
	if j == nil {
		return nil, nil
	}
	if v.Op.Aggregate().GivesRow() {
		single.Type.Target, repeated.Type.Target = j.found, j.left.Type.Domain
	}
	if v.Else != nil {
		single.Else = e.column(v.Else)
		repeated.Else = single.Else
	}
	return e.either(j.isUnique, e.add(v.Pos, single), e.add(v.Pos, repeated), ir.Type{Kind: v.Type.Kind, Target: e.domain(v.Type.Target)}), j
}

// isChecked reports whether data can fail a check of v.
func (e *expansion) isChecked(v *ir.Value) bool {
	return slices.ContainsFunc(e.from.Sites, func(s ir.Site) bool { return s.Value == v })
}

// inBothWays returns v with the operands of each way to make the pairs of a join, single of
// them being the column that is used where keys are unique; nil if its operands are not
// columns of the pairs of one join, or scalars.
func (e *expansion) inBothWays(v *ir.Value, pairOf func(*ir.Value) *paired, singleOf func(*paired) *ir.Value) (j *joined, single, repeated ir.Value) {
	single, repeated = *v, *v
	single.Name, repeated.Name = "", ""
	single.Args, repeated.Args = slices.Clone(v.Args), slices.Clone(v.Args)
	for i, arg := range v.Args {
		if arg.Type.IsScalar() {
			single.Args[i] = e.column(arg)
			repeated.Args[i] = single.Args[i]
			continue
		}
		p := pairOf(arg)
		if p == nil || j != nil && j != p.joined {
			return nil, single, repeated
		}
		j, single.Args[i], repeated.Args[i] = p.joined, singleOf(p), p.repeated
	}
	return j, single, repeated
}

// stored returns a column of pairs.
func (e *expansion) stored(v *ir.Value, p *paired) *ir.Value {
	ways := [2]*ir.Value{p.single, p.repeated}
	if e.eithers[ways] == nil {
		o := ordering{expansion: e, pos: v.Pos}
		t := ir.Type{Kind: v.Type.Kind, Domain: p.out, Target: e.domain(v.Type.Target)}
		made := e.either(p.isUnique, o.compact(p.single, p.hasPartner, p.found), p.repeated, t)
		if p.parts != nil { // whose order counts for nobody
			made.Type.Domain = e.newDomain(ir.DomainEither, p.out.Name+"_whole", p.row.Type.Domain)
			made = e.either(p.isParted, e.stored(v, p.parts), made, t)
		}
		made.Name = v.Name
		e.eithers[ways] = made
	}
	return e.eithers[ways]
}

// repeated returns the left and the right row of each pair, which are the rows of out. If hasRows is set, the table
// has codes of rows.
func (o *ordering) repeated(t rowTable, left []*ir.Value, hasRows bool, out *ir.Domain) (row, partner *ir.Value) {
	p := o.partnersIn(t, hasRows)
	var length, begin *ir.Value
	switch {
	case o.entersCodes(t):
		length, begin = p.split(p.ofKeys(t, left))
	case o.lengths && p.table != nil:
		return o.pairsTold(p.order, p.told(t, left), out)
	default:
		length, begin = p.ofRows(t, left)
	}
	return o.pairsOf(p.order, begin, length, out)
}

// pairsTold is pairsOf where words tell the right rows of each left one: the kernel that finds these stores nothing else, and
// needs no prefix.
func (o *ordering) pairsTold(order *ir.Value, of *toldRows, out *ir.Domain) (row, partner *ir.Value) {
	pairs, _ := o.expanded(repetition{length: of.length, isNarrow: true, told: of}, out)
	place := o.cast(ir.I64, o.add(o.pos, ir.Value{Op: ir.OpPlaced, Args: pairs.Args, Split: pairs.Split, Type: ir.Type{Kind: ir.U32, Domain: out, Target: pairs.Type.Target}}))
	return pairs, o.partnerAt(order, place)
}

// merged returns a join of rows with keys and sorted rows.
func (o *ordering) merged(right sortedSide, keys []*ir.Value, out *ir.Domain) *joined {
	begin, end := right.bounds(o, keys)
	j := &joined{}
	j.left, j.right = o.pairsOf(right.order, begin, o.apply(ir.OpSub, end, begin), out)
	return j
}

// pairsOf returns the left and the right row of each pair, which are the rows of out. The right
// rows of a left one are so many as length says, from begin on in an order.
func (o *ordering) pairsOf(order, begin, length *ir.Value, out *ir.Domain) (row, partner *ir.Value) {
	pairs, before := o.expanded(repetition{length: length, isNarrow: true}, out)
	// Of the pairs of a left row, the first has the first of the right ones.
	ahead := o.apply(ir.OpSub, begin, before)
	number := o.index(pairs, pairs.Type.Domain)
	if o.short {
		ahead, number = o.cast(ir.U32, ahead), o.cast(ir.U32, number)
	}
	return pairs, o.partnerAt(order, o.cast(ir.I64, o.apply(ir.OpAdd, o.gather(o.pos, ahead, pairs), number)))
}

// partnerAt returns the right row at a place in their order.
func (o *ordering) partnerAt(order, place *ir.Value) (partner *ir.Value) {
	place.Type.Target = order.Type.Domain
	partner = o.gather(o.pos, unwidened(order), place)
	if partner.Type.Kind != ir.I64 { // so that more of what pairs read is in caches
		partner = o.cast(ir.I64, partner)
		partner.Type.Target = order.Type.Target
	}
	return partner
}
