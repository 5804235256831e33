package fuse

import (
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// Where a table leaves the second-level cache, nearly every row that is looked up waits for memory. If all that is asked of
// what is found is folded in any order, many rows move first, in the order of the high bits of the slots where their searches begin:
// then rows that are looked up at about the same time want one part of the table, which a cache has. The plan
// chooses by how many rows there are on both sides, which it knows before any kernel runs.

// movedLooks are rows that are looked up, and have moved.
type movedLooks struct {
	*expansion
	find    *ir.Value // of e.from
	moved   *partition
	areMany *ir.Value                 // a scalar: above 0 if there are so many rows on both sides that they move
	code    *lookup                   // of the rows that have moved
	values  map[*ir.Value]*ir.Value   // what values of e.from are of these
	domains map[*ir.Domain]*ir.Domain // likewise
}

// foldMoved writes an aggregate of all rows that are looked up, or of some of these, in both ways.
func (e *expansion) foldMoved(v *ir.Value) bool {
	find := e.foldedLooks(v)
	if find == nil {
		return false
	}
	m := e.looks[find]
	if m == nil {
		m = e.moveLooks(find)
		e.looks[find] = m
	}
	e.copy(v)
	asTheyCome, made := e.values[v], *v
	asTheyCome.Name, made.Name = "", ""
	made.Args = make([]*ir.Value, len(v.Args))
	for i, x := range v.Args {
		made.Args[i] = m.of(x)
	}
	if v.Else != nil {
		made.Else = e.column(v.Else)
	}
	e.values[v] = e.either(m.areMany, e.add(v.Pos, made), asTheyCome, ir.Type{Kind: v.Type.Kind})
	e.values[v].Name = v.Name
	return true
}

// ofFoldMoved writes what follows from an aggregate that is made in both ways, and from nothing else, in both: the kernel that ends either has it.
func (e *expansion) ofFoldMoved(v *ir.Value) bool {
	if !v.Op.IsElementwise() || !v.Type.IsScalar() || e.isChecked(v) {
		return false
	}
	args := e.columns(v.Args)
	var fold *ir.Value
	for _, x := range args {
		switch {
		case x.Op == ir.OpEither && (fold == nil || x.Limit == fold.Limit):
			fold = x
		case x.Op != ir.OpConst:
			return false
		}
	}
	if fold == nil || !e.isOfLooks(fold.Limit) {
		return false
	}
	made := func(way int) *ir.Value {
		of := ir.Value{Op: v.Op, Type: v.Type, Args: slices.Clone(args)}
		for i, x := range args {
			if x.Op == ir.OpEither {
				of.Args[i] = x.Args[way]
			}
		}
		return e.add(v.Pos, of)
	}
	e.values[v] = e.either(fold.Limit, made(0), made(1), v.Type)
	e.values[v].Name = v.Name
	return true
}

// isOfLooks reports whether a condition says if rows move that are looked up.
func (e *expansion) isOfLooks(condition *ir.Value) bool {
	for _, m := range e.looks {
		if m.areMany == condition {
			return true
		}
	}
	return false
}

// foldedLooks returns the search whose rows v folds in any order, if it may move them: nothing but that and
// elements of their rows is asked for. Else it returns nil.
func (e *expansion) foldedLooks(v *ir.Value) (find *ir.Value) {
	if !v.Op.IsAggregate() || v.By != nil || e.isChecked(v) {
		return nil
	}
	if a := v.Op.Aggregate(); a.GivesRow() || a.IsEdge() {
		return nil
	}
	can := true
	seen := map[*ir.Value]bool{}
	var visit func(x *ir.Value)
	visit = func(x *ir.Value) {
		if x.Type.IsScalar() || seen[x] || !can {
			return
		}
		seen[x] = true
		if of := e.lookups[x]; of != nil && x.Op == ir.OpFind {
			can = (find == nil || find == x) && e.mayMoveLooks(x)
			find = x
			return
		}
		switch {
		case e.isChecked(x):
			can = false
		case x.Op == ir.OpParam:
		case x.Op == ir.OpCompact, x.Op.IsElementwise():
			for _, arg := range x.Args {
				visit(arg)
			}
		case x.Op == ir.OpGather && e.lookups[x.Args[1]] != nil:
			visit(x.Args[1])
		default:
			can = false
		}
	}
	for _, x := range v.Args {
		can = can && !x.Type.Kind.IsFloat()
		visit(x)
	}
	if !can {
		return nil
	}
	return find
}

// mayMoveLooks reports whether the rows of a search move if they are many.
func (e *expansion) mayMoveLooks(find *ir.Value) bool {
	o := &ordering{expansion: e, pos: find.Pos}
	keys, in := e.columns(find.Args[:find.Split]), e.columns(find.Args[find.Split:])
	return o.probing == "" && o.mayMove(keys) && o.mayMove(in) && o.tableOf(in, keys[0], false).hasWords()
}

// moveLooks moves the rows of a search.
func (e *expansion) moveLooks(find *ir.Value) *movedLooks {
	keys, in := e.columns(find.Args[:find.Split]), e.columns(find.Args[find.Split:])
	o := &ordering{expansion: e, pos: find.Pos, rows: keys[0].Type.Domain}
	t := o.tableOf(in, keys[0], false)
	size := t.hashed
	if t.direct != nil {
		size = o.choose(t.isDirect, t.direct, size)
	}
	low, last := o.bitsInPart(size), o.cast(ir.U64, o.apply(ir.OpSub, size, o.number(1)))
	digit := func() *ir.Value {
		slot := o.apply(ir.OpLeast, o.cast(ir.U64, o.wanted(t, keys)), last) // a key that no row has may want none
		return o.cast(ir.U32, o.apply(ir.OpShr, slot, low))
	}
	many := func(x *ir.Value) *ir.Value {
		return o.apply(ir.OpSub, o.length(x), o.number(o.leastMoved-1))
	}
	m := &movedLooks{expansion: e, find: find, areMany: o.apply(ir.OpLeast, many(keys[0]), many(in[0])), values: map[*ir.Value]*ir.Value{}, domains: map[*ir.Domain]*ir.Domain{}}
	m.moved = o.partition(o.sortKeysOf(keys), partitionBits, digit(), digit(), nil)
	m.moved.place.AnyOrder = true
	m.domains[keys[0].Type.Domain] = m.moved.on.rows
	var columns []*ir.Value
	for _, key := range m.moved.movedKeys {
		columns = append(columns, key.column)
	}
	m.code = o.lookup(t, columns, e.lookups[find].column)
	return m
}

// of returns what a value is of the rows that have moved.
func (m *movedLooks) of(x *ir.Value) *ir.Value {
	if x.Type.IsScalar() {
		return m.column(x)
	}
	if m.values[x] == nil {
		m.values[x] = m.made(x)
	}
	return m.values[x]
}

func (m *movedLooks) made(x *ir.Value) *ir.Value {
	o := &ordering{expansion: m.expansion, pos: x.Pos}
	switch {
	case x == m.find:
		return m.code.code
	case x.Op == ir.OpParam:
		return m.moved.move(m.column(x))
	case x.Op == ir.OpGather:
		return o.decode(&lookup{coding: m.code.coding, code: m.of(x.Args[1])})
	case x.Op == ir.OpCompact:
		isKept := m.of(x.Args[1])
		return o.compact(m.of(x.Args[0]), isKept, m.domain(x.Type.Domain, isKept))
	case m.lookups[x.Args[0]] != nil: // a test of what is found
		op := ir.OpNe
		if x.Op == ir.OpLt {
			op = ir.OpEq
		}
		code := m.of(x.Args[0])
		return o.apply(op, code, o.integer(code, 0))
	}
	made := *x
	made.Name, made.Args = "", make([]*ir.Value, len(x.Args))
	for i, arg := range x.Args {
		made.Args[i] = m.of(arg)
	}
	made.Type.Domain, made.Type.Target = rowsOf(made.Args), m.expansion.domain(x.Type.Target)
	return m.add(x.Pos, made)
}

// domain returns the domain of rows that are kept of those that have moved.
func (m *movedLooks) domain(d *ir.Domain, isKept *ir.Value) *ir.Domain {
	if m.domains[d] == nil {
		m.domains[d] = m.newDomain(ir.DomainMask, d.Name+"_moved", isKept.Type.Domain)
		m.domains[d].By = isKept
	}
	return m.domains[d]
}
