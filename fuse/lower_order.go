package fuse

import (
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// digits lowers the histograms of the digits of keys.
func (l *lowering) digits(v *ir.Value) {
	s := l.stage(Histogram, v.Pos, v.Args[0].Type.Domain)
	l.read(s, v.Args[0], tile.Element, false)
	s.roots = append(s.roots, v)
	l.defineResult(s, v)
}

// scatter lowers the move of a row to its place. What moves to the same places
// shares a stage.
func (l *lowering) scatter(v *ir.Value) {
	x, place, out := v.Args[0], v.Args[1], v.Type.Domain
	if v.Limit != nil {
		l.limit(v)
	}
	s := l.shareAfter(nil, groupKey{kind: Pass, domain: x.Type.Domain, out: out, place: place}, v, x)
	l.read(s, x, tile.Element, false)
	l.read(s, place, tile.Element, false)
	l.length(s, out)
	s.roots = append(s.roots, v)
	l.defineResult(s, v)
}

// limit adds the stage that computes how many rows an order with a limit has.
func (l *lowering) limit(v *ir.Value) {
	s := l.stage(ScalarMap, v.Pos, nil)
	l.read(s, v.Limit, tile.Element, true)
	l.length(s, v.Args[0].Type.Domain)
	d := v.Type.Domain
	l.define(&Value{Kind: Lengths, Of: d, Name: l.DomainName(d) + "_length", Type: ir.I64}, s)
}
