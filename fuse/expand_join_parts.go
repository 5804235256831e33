package fuse

import (
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// Where nothing is asked of the pairs of a join but what may be folded in any order, they need not come in the order of their
// left rows. So on cores both sides of a large join move to parts, by a hash of their keys, and stay there: a row moves in a word
// of its key and a column. Of the right rows, those of equal keys come to lie together; each left row learns where its
// partners are, and how many. Its pairs are folded with those of its part, whose columns a cache holds then, whether
// keys are unique or not.

// partedSides are the sides of a join in the order of parts.
type partedSides struct {
	left, right *partition
	words       *ir.Value // of the left rows: a key, above the bits of a column beside it, if not nil
	beside      *ir.Value
	order       *ir.Value // the codes of the right rows, those of equal keys together: the bits of a column, or numbers of rows if it is nil
	column      *ir.Value
	ordered     map[*ir.Value]*ir.Value
}

// joinedByParts returns the pairs of join v by parts of its sides.
func (o *ordering) joinedByParts(v *ir.Value, left, right []*ir.Value) *joined {
	s := &partedSides{ordered: map[*ir.Value]*ir.Value{}}
	if column, ok := o.lookedUpPartner(v); ok && column != nil {
		s.column = o.early(column)
	}
	unused := o.unusedPartBits(o.length(right[0]))
	s.right = o.sideOf(right, unused)
	code := s.column
	if code == nil {
		code = o.index(right[0], right[0].Type.Domain)
	}
	words := s.right.move(o.wordWith(o.wordOfKeys(right), o.bitsOf(code)))
	s.right.on.rows.By = words

	s.left = o.sideOf(left, unused)
	key := o.cast(ir.U32, o.wordOfKeys(left))
	if s.beside = o.besideLeft(v); s.beside != nil {
		key = o.wordWith(key, o.bitsOf(s.beside))
	}
	keys := s.left.move(key)
	s.left.on.rows.By, s.words = keys, keys

	of := func(x *ir.Value) *ir.Value { return o.gather(o.pos, x, o.sameRow(x, s.right.first.Type.Domain)) }
	from, end := of(s.left.first), o.apply(ir.OpAdd, s.right.first, s.right.count)
	args := []*ir.Value{s.right.first, end, from, o.apply(ir.OpAdd, from, of(s.left.count)), words, keys}
	told := o.add(o.pos, ir.Value{Op: ir.OpPartnerParts, Args: args, Type: ir.Type{Kind: ir.U64, Domain: s.left.on.rows}})
	s.order = o.add(o.pos, ir.Value{Op: ir.OpOrderParts, Args: []*ir.Value{told}, Type: ir.Type{Kind: ir.U32, Domain: s.right.on.rows}})
	distinct := o.add(o.pos, ir.Value{Op: ir.OpDistinct, Args: []*ir.Value{told}, Type: ir.Type{Kind: ir.I64, Domain: s.right.first.Type.Domain}})

	name := o.domain(v.Type.Domain).Name
	j := &joined{sides: s, isUnique: o.hasAll(right[0], o.sum(distinct)), hasPartner: o.apply(ir.OpNe, told, o.integer(told, 0))}
	split := partners{ordering: o}.split // anew for each who needs it, as that costs less than to store it
	j.row = o.index(keys, s.left.on.rows)
	_, j.partner = split(told)
	j.partner.Type.Target = s.right.on.rows
	j.found = o.newDomain(ir.DomainMask, name+"_found", s.left.on.rows)
	j.found.By = j.hasPartner
	length, _ := split(told)
	pairs, _ := o.expanded(repetition{length: length, isNarrow: true}, o.newDomain(ir.DomainJoin, name+"_repeated", s.left.on.rows))
	ends := pairs.Args[0]
	count, begin := split(o.gather(o.pos, told, pairs))
	ahead := o.apply(ir.OpSub, o.apply(ir.OpAdd, begin, count), o.gather(o.pos, ends, pairs))
	j.left, j.right = pairs, o.apply(ir.OpAdd, ahead, o.index(pairs, pairs.Type.Domain))
	j.right.Type.Target = s.right.on.rows
	j.out = o.newDomain(ir.DomainEither, name+"_by_parts", left[0].Type.Domain)
	return j
}

// Rows of not very large tables have fewer parts: those still lie in the second cache, and a processor keeps the pages of as many at hand.
const (
	fewPartBits  = 6
	timesFewRows = 8 // of the rows of the smallest table that has parts
)

// unusedPartBits returns, as a scalar, how many bits of a part are not used where one side has so many rows.
func (o *ordering) unusedPartBits(rows *ir.Value) *ir.Value {
	few := o.apply(ir.OpLt, rows, o.number(timesFewRows*o.parted))
	return o.choose(few, o.constant(ir.Int(ir.U32, partitionBits-fewPartBits)), o.constant(ir.Int(ir.U32, 0)))
}

// sideOf is a partition of rows by a hash of their keys, of which some bits are not used.
func (o *ordering) sideOf(keys []*ir.Value, unused *ir.Value) *partition {
	of := &ordering{expansion: o.expansion, pos: o.pos, rows: keys[0].Type.Domain}
	digit := func() *ir.Value { return of.apply(ir.OpShr, of.hashDigit(of.words(of.sortKeysOf(keys))), unused) }
	return of.places(partitionBits, digit(), digit())
}

// wordOfKeys returns the word of narrow keys.
func (o *ordering) wordOfKeys(keys []*ir.Value) *ir.Value {
	return o.words(o.sortKeysOf(keys))[0].value
}

// besideLeft returns a narrow column that is read at the left rows of pairs, nil if there is none.
func (e *expansion) besideLeft(join *ir.Value) *ir.Value {
	for _, v := range e.from.Values {
		if v.Op != ir.OpGather || v.Args[1].Op != ir.OpLeft || v.Args[1].Args[0] != join || e.follows(v.Args[0], join) {
			continue
		}
		if kind := v.Args[0].Type.Kind; isInvertible(kind) && kind.Size() <= codeBits/8 {
			return e.early(v.Args[0])
		}
	}
	return nil
}

// leftAt returns a column of the left side at some places in the order of parts, at all of them in turn if these are nil.
func (s *partedSides) leftAt(x, places *ir.Value) *ir.Value {
	if x == s.beside {
		return s.left.ofBits(s.left.cast(ir.U32, s.at(s.words, places)), x.Type.Kind)
	}
	return s.at(s.left.move(x), places)
}

// rightAt returns a column of the right side at some places in the order of the codes.
func (s *partedSides) rightAt(x, places *ir.Value) *ir.Value {
	o := s.right.on
	if x == s.column {
		return o.ofBits(s.at(s.order, places), x.Type.Kind)
	}
	if s.ordered[x] == nil { // so that partners lie together
		row := o.cast(ir.I64, s.order)
		row.Type.Target = x.Type.Domain
		s.ordered[x] = o.gather(o.pos, x, row)
	}
	return s.at(s.ordered[x], places)
}

func (s *partedSides) at(x, places *ir.Value) *ir.Value {
	if places == nil {
		return x
	}
	return s.left.gather(s.left.pos, x, places)
}

// foldsInAnyOrder reports whether nothing is asked of the pairs of a join but how many they are, and folds of what follows
// from one row of each side, which are the same in any order.
func (e *expansion) foldsInAnyOrder(join *ir.Value) bool {
	ofPairs := map[*ir.Value]bool{}
	for _, v := range e.from.Values {
		if (v.Op == ir.OpLeft || v.Op == ir.OpRight) && v.Args[0] == join {
			ofPairs[v] = true
			continue
		}
		if v.Op == ir.OpJoin || !slices.ContainsFunc(v.Operands(), func(x *ir.Value) bool { return ofPairs[x] || x == join }) {
			continue
		}
		switch isExact := v.Op.IsAggregate() && isExactFold(v); {
		case v.Op == ir.OpLen, isExact && !e.isChecked(v):
		case e.isChecked(v), v.Type.IsScalar():
			return false
		case v.Op == ir.OpGather && !ofPairs[v.Args[0]], v.Op.IsElementwise() && e.arePairs(v.Args, ofPairs):
			ofPairs[v] = true
		default:
			return false
		}
	}
	for v := range ofPairs {
		if e.isReturned(v) {
			return false
		}
	}
	return !e.isReturned(join)
}

// arePairs reports whether each of some columns is one of pairs, or a scalar.
func (e *expansion) arePairs(list []*ir.Value, ofPairs map[*ir.Value]bool) bool {
	return !slices.ContainsFunc(list, func(x *ir.Value) bool { return !x.Type.IsScalar() && !ofPairs[x] })
}

// isExactFold reports whether an aggregate of all rows is the same in any order of these.
func isExactFold(v *ir.Value) bool {
	if a := v.Op.Aggregate(); v.By != nil || a.GivesRow() || a.IsEdge() {
		return false
	}
	return !slices.ContainsFunc(v.Args, func(x *ir.Value) bool { return x.Type.Kind.IsFloat() })
}
