package fuse

import (
	"slices"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// table writes w, a table of an aggregate: its result, or a field of its state.
func (b *kernelBuilder) table(w *Value) {
	v := w.IR
	if !isContiguous(v.By) {
		b.known(w.Domain)
	}
	f := v.Op.Aggregate().State[0]
	switch {
	case w.Kind == States:
		f = tableState(v)[w.Field]
	case v.Op.Aggregate().IsEdge():
		b.edge(w)
		return
	}
	domain := b.row(v.By.Type.Domain)
	if domain != 0 && w.Domain.Kind == ir.DomainEvery {
		b.refuse("the rows of %s must be complete, to add up every few", b.graph.DomainName(v.By.Type.Domain))
	}
	if f.Holders {
		domain = b.holders(domain, v)
	}
	x := b.element(domain, v, f)
	stream := b.Stream(w.Name, w.Type, w.Name, tile.Scatter, true)
	m := tile.NewFold(f.Fold, kindOf(f, v))
	if isEntered(v.By) {
		b.UpdateSlot(domain, stream, m, b.column(v.By), x)
		return
	}
	windowBits, bins := 0, ""
	if v.By.Op == ir.OpBins {
		windowBits = v.By.Split
	}
	if _, ok := b.graph.mostRows(v.By.Type.Target); ok || isBounded(v.By.Type.Target) { // some tables are as large as the bound
		bins = b.graph.DomainName(v.By.Type.Target)
	}
	b.Update(domain, stream, m, liesTogether(v.By), bins, windowBits, b.column(v.By), x)
}

// known refuses to store columns over d beside the scalars that say how long they are.
func (b *kernelBuilder) known(d *ir.Domain) {
	if length := b.graph.writer[key{kind: Lengths, of: d}]; length != nil && b.in[length.Writer] {
		b.refuse("the length of %s is known only after %s", b.graph.DomainName(d), length.Writer.Name)
	}
}

// holders returns the rows of parent that hold the extreme of their group, which an
// earlier kernel has found. A row of no group holds none, and updates nothing.
func (b *kernelBuilder) holders(parent int, v *ir.Value) int {
	w := b.state(v, 0)
	extreme := b.LoadAt(parent, b.complete(w, tile.Gather), b.column(v.By), true)
	x := b.operand(v.Args[0])
	differ := b.Expand(parent, tile.Outranks(v.Op.Aggregate().State[0].Fold, w.Type), []tile.ID{x}, []tile.ID{extreme})
	return b.Derive(tile.Compact, parent, b.Map(parent, ir.OpNot, ir.Bool, "", differ), "", "rows of "+w.Name)
}

// edge writes w, the first or last rows of contiguous groups: each such row
// stores its own value, and nothing has to be combined.
func (b *kernelBuilder) edge(w *Value) {
	v := w.IR
	parent := b.row(v.By.Type.Domain)
	x := b.operand(v.Args[0])
	rows := b.edges(parent, v.By, v.Op.Aggregate().State[0].Fold == ir.ReduceLast)
	b.StoreAt(rows, b.Stream(w.Name, w.Type, w.Name, tile.Place, true), x, b.Kernel.Domains[rows].Position)
}

// edges returns the rows of parent that are the first or last of their groups.
func (b *kernelBuilder) edges(parent int, by *ir.Value, last bool) int {
	at := edgeKey{by, last}
	if rows, ok := b.edgeRows[at]; ok {
		return rows
	}
	p := b.graph.prefixes[key{kind: Result, ir: by}]
	made := b.in[p.Partial] && b.in[p.Add]
	var guard, position tile.ID
	name := b.graph.DomainName(by.Type.Target)
	switch {
	case last:
		position, guard = b.column(by), b.tail(parent, by, made)
		name = "last of " + name
	case made:
		position, guard = b.begun(p), b.head(by.Type.Target)
		name = "first of " + name
	default:
		position, guard = b.column(by), b.numberChanges(parent, by, 1)
		name = "first of " + name
	}
	rows := b.Derive(tile.Compact, parent, guard, "", name)
	if made && !last { // position is the count of heads
		b.CountBy(rows, position)
	}
	b.Kernel.Domains[rows].Position = position
	b.edgeRows[at] = rows
	return rows
}

// edgeKey finds the first or last rows of a grouping.
type edgeKey struct {
	by   *ir.Value
	last bool
}

// tail returns whether no row of the same group comes after.
func (b *kernelBuilder) tail(parent int, by *ir.Value, made bool) tile.ID {
	if !made {
		return b.numberChanges(parent, by, -1)
	}
	b.mustBeBase(parent, by)
	heads := b.graph.writer[key{kind: Heads, of: by.Type.Target}]
	if by.Op == ir.OpStarts || !b.in[heads.Writer] {
		head := b.head(by.Type.Target)
		b.halo(head, by)
		return b.Shift(head, b.Const(ir.BoolScalar(true)), -1)
	}
	next := b.Map(0, ir.OpAdd, ir.I64, "", b.Row(), b.Int(1))
	tail := b.Map(0, ir.OpEq, ir.Bool, "", next, b.Length(b.graph.DomainName(by.Type.Domain)))
	for _, arg := range by.Args {
		x := b.operand(arg)
		b.halo(x, arg)
		after := b.Shift(x, b.Const(ir.Scalar{Kind: arg.Type.Kind}), -1)
		tail = b.Map(0, ir.OpLogicalOr, ir.Bool, "", tail, b.differ(0, arg.Type.Kind, x, after))
	}
	return tail
}

// numberChanges returns whether the row at a distance has another number of its
// group, or is not there.
func (b *kernelBuilder) numberChanges(parent int, by *ir.Value, distance int64) tile.ID {
	b.mustBeBase(parent, by)
	number := b.column(by)
	b.halo(number, by)
	return b.Map(0, ir.OpNe, ir.Bool, "", number, b.Shift(number, b.Int(-1), distance))
}

// mustBeBase requires that parent is the base: only its rows have neighbours.
func (b *kernelBuilder) mustBeBase(parent int, by *ir.Value) {
	if parent != 0 {
		b.refuse("which rows of %s are the last of a group, the rows after them say, which are not complete here", b.graph.DomainName(by.Type.Domain))
	}
}

// finishTable returns an aggregate from the states in its tables.
func (b *kernelBuilder) finishTable(v *ir.Value) tile.ID {
	domain := b.row(v.Type.Domain)
	state := func(field int) tile.ID { return b.load(b.state(v, field)) }
	if v.Op.Aggregate().GivesRow() {
		none := b.Const(tile.Identity(ir.ReduceMin, ir.I64))
		row := b.finish(domain, v, state)
		return b.orElse(v, domain, b.Map(domain, ir.OpNe, ir.Bool, "", row, none), row)
	}
	fields := tableState(v)
	counting := slices.IndexFunc(fields, ir.StateField.CountsRows)
	count := state(counting)
	finished := func() tile.ID {
		switch {
		case !v.Op.Aggregate().IsEdge():
			return b.finish(domain, v, func(i int) tile.ID {
				if i == counting {
					return count
				}
				return state(i)
			})
		case v.Args[0].Type.IsScalar():
			return b.operand(v.Args[0])
		}
		table := b.complete(b.graph.result(v.Args[0]), tile.Gather)
		return b.LoadAt(domain, table, state(0), true)
	}
	if isContiguous(v.By) { // no group is empty
		return finished()
	}
	present := b.Map(domain, ir.OpGt, ir.Bool, "", count, b.Int(0))
	return b.orElse(v, domain, present, finished())
}

// state returns a table that an earlier kernel filled.
func (b *kernelBuilder) state(v *ir.Value, field int) *Value {
	w := b.graph.writer[key{kind: States, ir: v, field: field}]
	b.filled(w)
	return w
}

// filled refuses to read a table beside the rows that fill it.
func (b *kernelBuilder) filled(w *Value) {
	if b.in[w.Writer] {
		b.refuse("the table %s is complete only after all rows: %s ends a kernel", w.Name, w.Writer.Name)
	}
}
