package fuse

import (
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// Some columns that follow an order need no gather. Keys follow from the word by which rows are sorted,
// so the last pass stores it. Other columns of 64 bits in all can come along in place of the numbers of rows, if
// nothing else needs these: passes move up to 4 bytes more of each row, which costs less than a gather. If nothing but
// keys is needed, the words alone are sorted. Where there is one pass at most, as in a partition, it moves any columns.

// leaving is what the last passes of an order leave.
type leaving struct {
	keys     []sortKey               // all of them
	columns  map[*ir.Value]*ir.Value // in order: those keys that are to be left, direct and beside
	direct   []*ir.Value             // columns that the only pass moves beside the keys
	beside   []*ir.Value             // columns that come along, as one word, in place of the numbers of rows
	isNarrow bool                    // numbers stay as they come along
}

// mostInOnePass is how many bytes of other columns the only pass of a sort moves. With more a work-item has few rows.
const mostInOnePass = 16

// follow sorts rows by v, an order of all rows, and enters in e.followed the columns that follow without a
// gather.
func (o *ordering) follow(v *ir.Value, keys []sortKey) *ir.Value {
	columns, isFree := o.followers(v)
	w := word{}
	for _, key := range keys {
		w.bits += key.width
	}
	l := &leaving{keys: keys, columns: map[*ir.Value]*ir.Value{}}
	l.isNarrow = !o.isReturned(v)
	o.leaves, o.followed[v], o.isMain = l, l.columns, true
	isKey := func(x *ir.Value) bool {
		return isInvertible(x.Type.Kind) && slices.ContainsFunc(keys, func(key sortKey) bool { return key.column == x })
	}
	// Words of 64 bits that are to be left move in all passes, which costs more than to pack another column.
	leavesKeys := w.bits <= numberBits || w.bits <= maxWord && !slices.ContainsFunc(columns, func(x *ir.Value) bool { return !isKey(x) })
	var others []*ir.Value
	bytes := 0
	for _, x := range columns {
		if leavesKeys && isKey(x) {
			l.columns[x] = nil
			continue
		}
		others = append(others, x)
		bytes += x.Type.Kind.Size()
	}
	if w.bits <= o.radix && bytes <= mostInOnePass {
		l.direct, others = others, nil
	}
	beside := o.row(keys)
	switch {
	case isFree && len(others) > 0 && o.fitsBeside(w) && 8*bytes <= maxWord:
		l.beside = others
		beside = o.joined(others)
		if 8*bytes <= numberBits {
			beside = o.cast(ir.U32, beside)
		}
		o.columnWord = o.wordOfColumns(keys, others)
	case isFree && len(others) == 0:
		beside = nil
	case isFree && o.movesAhead(w, others, bytes):
		return o.followAhead(keys, l, others)
	}
	switch number := o.sortLeaving(keys, beside); {
	case beside == nil:
		return l.columns[columns[0]]
	case len(l.beside) > 0 || !l.isNarrow:
		return number
	default:
		return o.rowOf(number)
	}
}

// sortLeaving sorts rows as sort does; a work-group may sort few of them where nothing but their numbers is wanted.
func (o *ordering) sortLeaving(keys []sortKey, beside *ir.Value) *ir.Value {
	l := o.leaves
	if beside != nil && len(l.columns) == 0 && len(l.beside) == 0 && len(l.direct) == 0 {
		return o.sortFew(keys, func() *ir.Value { return o.row(keys) })
	}
	return o.sort(keys, beside, len(l.columns) > 0).number
}

// wordOfColumns returns a function that computes the word of keys from columns that come along as one word; nil if
// these do not have the keys. A partition by some bits of a column then moves no more than the column.
func (o *ordering) wordOfColumns(keys []sortKey, columns []*ir.Value) func(beside *ir.Value) *ir.Value {
	for _, key := range keys {
		if !followsFrom(key.column, columns) {
			return nil
		}
	}
	return func(beside *ir.Value) *ir.Value {
		made := map[*ir.Value]*ir.Value{}
		at := packedColumn{}
		for _, x := range columns {
			made[x] = o.unpacked(o.cast(ir.U64, beside), at, x.Type.Kind)
			at.shift += 8 * x.Type.Kind.Size()
		}
		moved := slices.Clone(keys)
		for i, key := range keys {
			moved[i].column = o.again(key.column, made)
		}
		return o.words(moved)[0].value
	}
}

// followsFrom reports whether x costs little to compute from some columns.
func followsFrom(x *ir.Value, columns []*ir.Value) bool {
	if slices.Contains(columns, x) || x.Op == ir.OpConst {
		return true
	}
	switch x.Op {
	case ir.OpAnd, ir.OpAndNot, ir.OpOr, ir.OpXor, ir.OpShl, ir.OpShr, ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpComplement, ir.OpCast, ir.OpBits:
		return !slices.ContainsFunc(x.Operands(), func(arg *ir.Value) bool { return !followsFrom(arg, columns) })
	}
	return false
}

// again computes x from what other columns have become.
func (o *ordering) again(x *ir.Value, made map[*ir.Value]*ir.Value) *ir.Value {
	if x.Op == ir.OpConst {
		return x
	}
	if made[x] == nil {
		v := ir.Value{Op: x.Op, Type: x.Type}
		for _, arg := range x.Args {
			v.Args = append(v.Args, o.again(arg, made))
		}
		made[x] = o.add(o.pos, v)
	}
	return made[x]
}

// leave moves what an order leaves beside the numbers of rows to its destination, by scatter.
func (o *ordering) leave(l *leaving, scatter func(column func(carried) *ir.Value) *ir.Value) {
	for i, key := range l.keys {
		if x, isLeft := l.columns[key.column]; isLeft && x == nil {
			l.columns[key.column] = scatter(func(from carried) *ir.Value { return o.keyOfWord(o.keyOf(from), l.keys, i) })
		}
	}
	for _, x := range l.direct {
		l.columns[x] = scatter(func(carried) *ir.Value { return x })
	}
	shift := 0
	for _, x := range l.beside {
		at := packedColumn{shift: shift}
		l.columns[x] = scatter(func(from carried) *ir.Value { return o.unpacked(o.cast(ir.U64, o.besideOf(from)), at, x.Type.Kind) })
		shift += 8 * x.Type.Kind.Size()
	}
}

// followers returns the columns that are gathered by an order and that there are before it, and
// reports whether the order is for nothing else.
func (e *expansion) followers(v *ir.Value) (columns []*ir.Value, isFree bool) {
	isFree = !e.isReturned(v)
	for _, user := range e.from.Values {
		isUser := slices.Contains(user.Args, v) || user.Else == v || user.Limit == v || user.By == v
		if !isUser {
			continue
		}
		var x *ir.Value
		if e.isPackable(user) {
			x = e.values[unwidened(user.Args[0])]
		}
		if x == nil {
			isFree = false
		} else if x = unwidened(x); !slices.Contains(columns, x) {
			columns = append(columns, x)
		}
	}
	return columns, isFree && len(columns) > 0
}

// followedBy returns the column that v gathers by an order, as that leaves it; nil if it does not.
func (e *expansion) followedBy(v *ir.Value) *ir.Value {
	x := e.values[v.Args[0]]
	if x == nil {
		return nil
	}
	return e.followed[v.Args[1]][unwidened(x)]
}

// gatherFollowed writes v, if it gathers a column that follows an order without that.
func (e *expansion) gatherFollowed(v *ir.Value) bool {
	if !e.isPackable(v) {
		return false
	}
	made := e.followedBy(v)
	if made == nil {
		return false
	}
	x := e.values[v.Args[0]]
	if made.Type.Kind != x.Type.Kind {
		made = e.add(v.Pos, ir.Value{Op: ir.OpCast, Args: []*ir.Value{made}, Type: ir.Type{Kind: x.Type.Kind, Domain: made.Type.Domain}})
	}
	made.Name, made.Type.Target = v.Name, e.domain(v.Type.Target)
	e.values[v] = made
	return true
}
