package fuse

import (
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// Of a row that is found, often only a column is wanted, and whether there is a row. The
// table then has these, so that a search reads memory in one place.

// lookup is what a table has for the row that is found.
type lookup struct {
	word   *ir.Value // 0 if none is found; else the column's bits below a 1
	column *ir.Value // of e.from; nil if only that is asked, whether there is a row
	rows   rowTable  // if the word may have the number of the row in place of the column's bits
}

// columnBits is the most bits of such a column.
const columnBits = 32

// lookedUp returns the one narrow column that is read at the rows that find has found, nil
// if none is; ok is false if more is asked of it. v is find, or its rows that masks keep.
func (e *expansion) lookedUp(find, v *ir.Value) (column *ir.Value, ok bool) {
	ok = !slices.ContainsFunc(e.from.Results, func(r ir.Result) bool { return r.Value == v })
	for _, u := range e.from.Values {
		if !ok {
			break
		}
		if !slices.Contains(u.Operands(), v) || isFoundTest(u, v) {
			continue
		}
		x := (*ir.Value)(nil)
		switch {
		case u.Op == ir.OpCompact && u.Args[0] == v && u.Args[1] != v:
			x, ok = e.lookedUp(find, u)
			if x == nil {
				continue
			}
		case u.Op == ir.OpGather && u.Args[1] == v && u.Args[0] != v && !u.Type.IsScalar() && isInvertible(u.Type.Kind) && 8*u.Type.Kind.Size() <= columnBits:
			x = u.Args[0]
			ok = !slices.ContainsFunc(e.from.Sites, func(s ir.Site) bool { return s.Value == u }) && !e.follows(x, find)
		default:
			return nil, false
		}
		ok = ok && (column == nil || column == x)
		column = x
	}
	return column, ok
}

// follows reports whether x is computed from find, directly or not, or will be by columns
// that tables have.
func (e *expansion) follows(x, find *ir.Value) bool {
	seen := map[*ir.Value]bool{}
	var visit func(x *ir.Value) bool
	visit = func(x *ir.Value) bool {
		if x == find {
			return true
		}
		if x == nil || seen[x] {
			return false
		}
		seen[x] = true
		return slices.ContainsFunc(x.Operands(), visit) || visit(e.columnOf[x])
	}
	return visit(x)
}

// early writes x, and what it is computed from, before its turn.
func (e *expansion) early(x *ir.Value) *ir.Value {
	if !e.written[x] {
		for _, operand := range x.Operands() {
			e.early(operand)
		}
		e.value(x)
	}
	return e.column(x)
}

// isFoundTest reports whether u tests if v, which finds rows, has found one.
func isFoundTest(u, v *ir.Value) bool {
	if u.Op != ir.OpGe && u.Op != ir.OpLt || u.Args[0] != v || u.Args[1].Op != ir.OpConst {
		return false
	}
	return u.Args[1].Const.Int64() == 0
}

// lookup returns what the table has at slots that a probe has found.
func (o *ordering) lookup(t rowTable, slot, column *ir.Value) *lookup {
	// Of each slot, in a kernel of its own.
	isTaken, at := o.rowOfSlot(t)
	word := o.constant(ir.Int(ir.U8, 1))
	if column != nil {
		bits := o.cast(ir.U64, o.bitsOf(o.gather(o.pos, o.early(column), at)))
		word = o.apply(ir.OpOr, bits, o.integer(bits, 1<<columnBits))
	}
	none := o.constant(ir.Int(word.Type.Kind, 0))
	word = o.choose(isTaken, word, none)
	word = o.choose(o.apply(ir.OpGe, slot, o.number(0)), o.atSlot(word, slot), none)
	return &lookup{word: word, column: column}
}

// lookUp writes what reads a row that is found from the table alone.
func (e *expansion) lookUp(v *ir.Value) bool {
	o := &ordering{expansion: e, pos: v.Pos}
	at := func(i int) *lookup {
		if i >= len(v.Args) {
			return nil
		}
		return e.lookups[v.Args[i]]
	}
	var made *ir.Value
	switch l := at(0); {
	case v.Op == ir.OpCompact && l != nil:
		e.lookups[v] = &lookup{o.compact(l.word, e.column(v.Args[1]), e.domain(v.Type.Domain)), l.column, l.rows}
		return true
	case v.Op == ir.OpGather && at(1) != nil:
		made = o.lookedUpAt(at(1), v.Type.Kind)
		made.Type.Target = e.domain(v.Type.Target)
	case l != nil:
		op := ir.OpNe
		if v.Op == ir.OpLt {
			op = ir.OpEq
		}
		made = o.apply(op, l.word, o.constant(ir.Int(l.word.Type.Kind, 0)))
	default:
		return false
	}
	made.Name = v.Name
	e.values[v] = made
	return true
}

// lookedUpAt returns the column of a lookup.
func (o *ordering) lookedUpAt(l *lookup, kind ir.Kind) *ir.Value {
	low := o.cast(ir.U32, l.word)
	if !l.rows.isNarrow {
		return o.ofBits(low, kind)
	}
	column := o.column(l.column)
	if l.rows.least == nil {
		return o.gather(o.pos, column, o.cast(ir.I64, low))
	}
	// A row that does not exist is not read.
	row := o.choose(l.rows.isDirect, o.number(-1), o.cast(ir.I64, low))
	row.Type.Target = column.Type.Domain
	return o.choose(l.rows.isDirect, o.ofBits(low, kind), o.gather(o.pos, column, row))
}
