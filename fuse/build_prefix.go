package fuse

import (
	"slices"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// elements returns a row's elements of the fields of p's monoid.
func (b *kernelBuilder) elements(p *Prefix) []tile.ID {
	d := b.row(p.Domain)
	if p.Scan == nil {
		var flag tile.ID
		if p.Of.Kind == ir.DomainMask {
			flag = b.column(p.Of.By)
		} else {
			flag = b.head(p.Of)
		}
		return []tile.ID{b.Map(d, ir.OpCast, ir.I64, "", flag)}
	}
	x := b.operand(p.Scan.Args[0])
	if p.Scan.By == nil {
		return []tile.ID{x}
	}
	return []tile.ID{b.head(p.Scan.By.Type.Target), b.fromIdentity(d, p.Scan.Reduce, p.Scan.Type.Kind, x)}
}

// prefixFields returns the fields of p's state for each row, in a kernel that
// has its Add stage: by one scan if the whole prefix is here, else from the
// stored partial scans and offsets.
func (b *kernelBuilder) prefixFields(p *Prefix) []tile.ID {
	if b.in[p.Partial] {
		return b.Scan(b.row(p.Domain), p.Monoid, p.Exclusive, p.result.Name, b.elements(p)...)
	}
	if b.in[p.Offset] {
		b.refuse("the offsets need every chunk's total: %s belongs beside %s or in a kernel of its own", p.Offset.Name, p.Partial.Name)
	}
	if b.row(p.Domain) != 0 {
		b.refuse("%s needs the rows of %s complete, to find their chunks", p.Add.Name, b.graph.DomainName(p.Domain))
	}
	chunk := b.Map(0, ir.OpDiv, ir.I64, "chunk", b.Row(), b.Int(ChunkRows))
	before := make([]tile.ID, len(p.Monoid.Fields))
	within := make([]tile.ID, len(p.Monoid.Fields))
	for i := range p.Monoid.Fields {
		before[i] = b.LoadAt(0, b.complete(p.offsets[i], tile.Chunk), chunk, false)
		within[i] = b.load(p.partials[i])
	}
	fields := make([]tile.ID, len(before))
	for i, combine := range p.Monoid.Combine {
		fields[i] = b.Expand(0, combine, before, within)
	}
	return fields
}

// prefixResult returns the column that p's Add stage writes.
func (b *kernelBuilder) prefixResult(p *Prefix) tile.ID {
	d := b.row(p.Domain)
	if p.Scan == nil { // the number of each row's group
		if b.in[p.Partial] {
			upTo := b.Map(d, ir.OpAdd, ir.I64, "", b.begun(p), b.Map(d, ir.OpCast, ir.I64, "", b.head(p.Of)))
			return b.Map(d, ir.OpSub, ir.I64, p.result.Name, upTo, b.Int(1))
		}
		return b.Map(d, ir.OpSub, ir.I64, p.result.Name, b.prefixFields(p)[0], b.Int(1))
	}
	fields := b.prefixFields(p)
	x := fields[len(fields)-1]
	if p.Exclusive && p.Scan.By != nil { // a group starts anew at its head
		identity := b.Const(p.Monoid.Identity[len(fields)-1])
		x = b.Map(d, ir.OpSelect, p.Scan.Type.Kind, p.result.Name, b.head(p.Scan.By.Type.Target), identity, x)
	}
	return x
}

// chunkScan stores the scan within each chunk, for a kernel without p's Add stage.
func (b *kernelBuilder) chunkScan(p *Prefix, demanded func(*Value) bool) {
	totals := slices.ContainsFunc(p.totals, demanded) || b.in[p.Offset] && b.scansTotals(p, demanded)
	if !totals && !slices.ContainsFunc(p.partials, demanded) {
		return
	}
	if b.row(p.Domain) != 0 {
		b.refuse("%s needs the rows of %s complete, to cut them into chunks", p.Partial.Name, b.graph.DomainName(p.Domain))
	}
	elements := b.elements(p)
	fields := b.ChunkScan(p.Monoid, p.Exclusive, b.streams(p.totals, true), p.partials[0].Name, elements...)
	for i, w := range p.partials {
		if demanded(w) {
			b.Store(b.Stream(w.Name, w.Type, w.Name, tile.Element, true), fields[i])
		}
	}
}

// scansTotals reports whether anything needs the scan of the chunks' totals:
// the offsets, or the length that it ends with.
func (b *kernelBuilder) scansTotals(p *Prefix, demanded func(*Value) bool) bool {
	return slices.ContainsFunc(p.offsets, demanded) || p.Of != nil && demanded(b.graph.writer[key{kind: Lengths, of: p.Of}])
}

func (b *kernelBuilder) streams(values []*Value, write bool) []int {
	list := make([]int, len(values))
	for i, w := range values {
		list[i] = b.Stream(w.Name, w.Type, w.Name, tile.Chunk, write)
	}
	return list
}

// offset scans the chunks' totals: after all rows beside the partial scan, or
// as the rows of a kernel of its own. Where the whole prefix is here there is
// nothing to do but the length.
func (b *kernelBuilder) offset(p *Prefix, demanded func(*Value) bool) {
	var total tile.ID
	switch {
	case b.in[p.Partial] && b.in[p.Add]:
		if p.Of == nil {
			return
		}
	case !b.scansTotals(p, demanded):
		return
	case b.in[p.Partial]:
		total = b.ScanTotals(p.Monoid, b.streams(p.totals, true), b.streams(p.offsets, true))[0]
	case len(b.in) > 1:
		b.refuse("the offsets need every chunk's total: %s belongs beside %s or in a kernel of its own", p.Offset.Name, p.Partial.Name)
	default:
		elements := make([]tile.ID, len(p.totals))
		for i, w := range p.totals {
			elements[i] = b.Load(b.Stream(w.Name, w.Type, w.Name, tile.Element, false))
		}
		fields := b.Scan(0, p.Monoid, true, "offset", elements...)
		for i, w := range p.offsets {
			if !demanded(w) {
				continue
			}
			b.Store(b.Stream(w.Name, w.Type, w.Name, tile.Element, true), fields[i])
		}
		total = fields[0]
		if p.Of != nil {
			total = b.Total(total, "")
		}
	}
	if p.Of == nil {
		return
	}
	w := b.graph.writer[key{kind: Lengths, of: p.Of}]
	if total != 0 {
		b.built[w] = b.inRoom(p.Of, total)
	}
	if demanded(w) {
		b.store(p.Offset, w)
	}
}

// lengthAfter returns the length of d, which is known after all rows.
func (b *kernelBuilder) lengthAfter(d *ir.Domain) tile.ID {
	d, w := b.graph.length(d)
	if w == nil || !b.in[w.Writer] {
		return b.lengthBefore(d)
	}
	if id, ok := b.built[w]; ok {
		return id
	}
	var id tile.ID
	switch d.Kind {
	case ir.DomainBins, ir.DomainRepeat, ir.DomainJoin, ir.DomainOrder:
		id = b.computedLength(d, true)
	case ir.DomainMask:
		p := b.graph.prefixes[key{kind: Places, of: d}]
		if b.maker(d) != nil {
			id = b.Total(b.place(d), w.Name)
		} else {
			id = b.Total(b.Scan(b.row(p.Domain), addition(), true, w.Name, b.elements(p)...)[0], w.Name)
		}
		id = b.inRoom(d, id)
	default:
		id = b.Total(b.begun(b.graph.prefixes[key{kind: Result, ir: d.By}]), w.Name)
	}
	b.built[w] = id
	return id
}

// inRoom returns how many of so many rows of d are stored.
func (b *kernelBuilder) inRoom(d *ir.Domain, rows tile.ID) tile.ID {
	if d.Room == 0 {
		return rows
	}
	return b.Map(tile.Uniform, ir.OpLeast, ir.I64, "", rows, b.Int(d.Room))
}

// lengthBefore returns the length of d, which is known before the launch.
func (b *kernelBuilder) lengthBefore(d *ir.Domain) tile.ID {
	d, w := b.graph.length(d)
	if w != nil && b.in[w.Writer] {
		if isComputed(d) {
			return b.computedLength(d, false)
		}
		b.refuse("the length of %s is known only after %s", b.graph.DomainName(d), w.Writer.Name)
	}
	return b.Length(b.graph.DomainName(d))
}

// isComputed reports whether a scalar says how many rows d has.
func isComputed(d *ir.Domain) bool { return isSized(d) || d.Kind == ir.DomainOrder }

// isSized reports whether the second operand of what made d says how many rows it has.
func isSized(d *ir.Domain) bool {
	switch d.Kind {
	case ir.DomainBins, ir.DomainRepeat, ir.DomainJoin:
		return true
	}
	return false
}

// isBounded reports whether d is bins none of which is empty: there are no more of them than
// rows.
func isBounded(d *ir.Domain) bool { return d.Kind == ir.DomainBins && d.Parent != nil }

// computedLength returns the length of d, before the rows or after them.
func (b *kernelBuilder) computedLength(d *ir.Domain, after bool) tile.ID {
	if d.Kind == ir.DomainOrder {
		return b.rowCount(d.By, after)
	}
	return b.sized(d.By, after)
}

// sized returns the number of rows that the second operand of v says: 0 where that is
// negative.
func (b *kernelBuilder) sized(v *ir.Value, after bool) tile.ID {
	size := b.scalar(v.Args[1], after)
	if k := v.Args[1].Type.Kind; k != ir.I64 {
		size = b.Map(tile.Uniform, ir.OpCast, ir.I64, "", size)
	}
	return b.notNegative(size, v, ir.CheckBinSize)
}

// notNegative returns a number of rows that v asks for, or 0 where that is negative,
// which a check of v reports.
func (b *kernelBuilder) notNegative(number tile.ID, v *ir.Value, check ir.CheckKind) tile.ID {
	for _, site := range b.graph.sites[v] {
		if site.Kind == check {
			b.Check(tile.Uniform, site.Number, b.Map(tile.Uniform, ir.OpLt, ir.Bool, "", number, b.Int(0)), b.Int(0))
		}
	}
	return b.Map(tile.Uniform, ir.OpGreatest, ir.I64, "", number, b.Int(0))
}
