package fuse

import (
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// addition is the monoid of counts and places.
func addition() *tile.Monoid { return tile.NewFold(ir.ReduceAdd, ir.I64) }

// prefix adds the three stages of a grid-wide scan. read records what its
// elements read.
func (l *lowering) prefix(p *Prefix, pos ir.Pos, name string, read func(*Stage)) {
	p.Partial = l.stage(Partial, pos, p.Domain)
	p.Partial.prefix = p
	read(p.Partial)
	p.Offset = l.stage(Offset, pos, p.Domain)
	p.Offset.prefix = p
	for i, f := range p.Monoid.Fields {
		field := name
		if len(p.Monoid.Fields) > 1 {
			field += "_" + f.Name
		}
		p.partials = append(p.partials, l.define(&Value{Kind: Partials, Field: i, Name: field + "_partial", Type: f.Kind, Domain: p.Domain}, p.Partial))
		p.totals = append(p.totals, l.define(&Value{Kind: Totals, Field: i, Name: field + "_total", Type: f.Kind, Domain: p.Domain, Chunks: true}, p.Partial))
		p.offsets = append(p.offsets, l.define(&Value{Kind: Offsets, Field: i, Name: field + "_offset", Type: f.Kind, Domain: p.Domain, Chunks: true}, p.Offset))
		l.use(p.Offset, p.totals[i], tile.Chunk, false)
	}
	if p.Of != nil {
		l.define(&Value{Kind: Lengths, Of: p.Of, Name: l.DomainName(p.Of) + "_length", Type: ir.I64}, p.Offset)
	}
	p.Add = l.stage(Add, pos, p.Domain)
	p.Add.prefix = p
	for i := range p.Monoid.Fields {
		l.use(p.Add, p.partials[i], tile.Element, false)
		l.use(p.Add, p.offsets[i], tile.Chunk, false)
	}
}

// compact lowers x[mask]: the places of the mask's rows once, and a compaction
// that all columns of the mask share unless one needs another's result.
func (l *lowering) compact(v *ir.Value) {
	x, mask, d := v.Args[0], v.Args[1], v.Type.Domain
	if l.writer[key{kind: Places, of: d}] == nil {
		p := &Prefix{Domain: d.Parent, Of: d, Monoid: addition(), Exclusive: true}
		l.prefix(p, mask.Pos, l.DomainName(d), func(s *Stage) { l.read(s, mask, tile.Element, false) })
		p.result = l.define(&Value{Kind: Places, Of: d, Name: l.DomainName(d) + "_place", Type: ir.I64, Domain: d.Parent}, p.Add)
		l.prefixes[key{kind: Places, of: d}] = p
	}
	s := l.share(Compact, v, d.Parent, d, x)
	s.Out = d
	l.read(s, x, tile.Element, false)
	l.read(s, mask, tile.Element, false)
	l.use(s, l.writer[key{kind: Places, of: d}], tile.Element, false)
	s.roots = append(s.roots, v)
	l.defineResult(s, v)
}

// grouping lowers runs and starts: head flags, and the number of each row's group.
func (l *lowering) grouping(v *ir.Value) {
	d := v.Type.Target
	mask := l.stage(Mask, v.Pos, v.Type.Domain)
	for _, key := range v.Args {
		l.read(mask, key, tile.Halo, false)
	}
	mask.roots = append(mask.roots, v)
	heads := l.define(&Value{Kind: Heads, Of: d, Name: l.DomainName(d) + "_head", Type: ir.Bool, Domain: v.Type.Domain}, mask)
	p := &Prefix{Domain: v.Type.Domain, Of: d, Monoid: addition()}
	l.prefix(p, v.Pos, l.DomainName(d), func(s *Stage) { l.use(s, heads, tile.Element, false) })
	p.result = l.defineResult(p.Add, v)
	l.prefixes[key{kind: Result, ir: v}] = p
}

// scan lowers scan and exscan, segmented with by:.
func (l *lowering) scan(v *ir.Value) {
	x := v.Args[0]
	p := &Prefix{Domain: v.Type.Domain, Scan: v, Monoid: tile.NewFold(v.Reduce, v.Type.Kind), Exclusive: v.Op == ir.OpExscan}
	var heads *Value
	if v.By != nil {
		p.Monoid = tile.NewSegmented(p.Monoid)
		heads = l.writer[key{kind: Heads, of: v.By.Type.Target}]
	}
	l.prefix(p, v.Pos, l.resultName(v, "scan"), func(s *Stage) {
		l.read(s, x, tile.Element, false)
		l.use(s, heads, tile.Element, false)
	})
	l.use(p.Add, heads, tile.Element, false)
	p.result = l.defineResult(p.Add, v)
	l.prefixes[key{kind: Result, ir: v}] = p
}
