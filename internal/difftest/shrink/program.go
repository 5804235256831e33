package shrink

import (
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// Programs returns valid programs that are simpler than p, the much simpler ones
// first. Each has some of p's parameters, by their names.
func Programs(p *ir.Pipeline) []*ir.Pipeline {
	var list []*ir.Pipeline
	seen := map[string]bool{p.String(): true}
	size := sizeOf(p)
	add := func(e edit) {
		made := e.apply(p)
		if made == nil || !sizeOf(made).less(size) {
			return
		}
		if text := made.String(); !seen[text] {
			seen[text] = true
			list = append(list, made)
		}
	}
	for _, v := range p.Values { // one value alone, the first that can be wrong
		if v.Op != ir.OpParam && v.Op != ir.OpConst && v.Type.Kind != ir.Pair {
			add(edit{results: []ir.Result{{Label: "result", Value: v}}})
		}
	}
	for i := range p.Results {
		add(edit{results: slices.Delete(slices.Clone(p.Results), i, i+1)})
	}
	for _, d := range p.Domains { // rows are no longer chosen
		if d.Kind == ir.DomainMask {
			add(edit{results: p.Results, instead: func(v *ir.Value) *ir.Value {
				if v.Op == ir.OpCompact && v.Type.Domain == d {
					return v.Args[0]
				}
				return v
			}})
		}
	}
	for _, v := range slices.Backward(p.Values) {
		if v.Op == ir.OpParam || v.Op == ir.OpConst {
			continue
		}
		for _, other := range replacements(p, v) {
			add(edit{results: p.Results, instead: func(o *ir.Value) *ir.Value {
				if o == v {
					return other
				}
				return o
			}})
		}
		for _, simpler := range plainer(v) {
			add(edit{results: p.Results, changed: map[*ir.Value]*ir.Value{v: simpler}})
		}
	}
	if p.Unordered {
		add(edit{results: p.Results, ordered: true})
	}
	return list
}

// size is the measure that decreases: the values, then the text.
type size struct{ values, text int }

func sizeOf(p *ir.Pipeline) size {
	s := size{text: len(p.String())}
	for _, v := range p.Values {
		if v.Op != ir.OpConst {
			s.values++
		}
	}
	return s
}

func (s size) less(t size) bool {
	return s.values < t.values || s.values == t.values && s.text < t.text
}

// replacements returns values that may replace v: its operands, parameters, and
// constants.
func replacements(p *ir.Pipeline, v *ir.Value) []*ir.Value {
	var list []*ir.Value
	for _, o := range v.Operands() {
		if o.Type.Kind != ir.Pair {
			list = append(list, o)
		}
	}
	for _, param := range p.Params {
		if param.Type == v.Type && !slices.Contains(list, param) {
			list = append(list, param)
		}
	}
	for _, c := range constants(v.Type.Kind) {
		list = append(list, &ir.Value{Op: ir.OpConst, Type: ir.Type{Kind: v.Type.Kind}, Const: c})
	}
	return list
}

func constants(k ir.Kind) []ir.Scalar {
	switch {
	case k == ir.Bool:
		return []ir.Scalar{ir.BoolScalar(true), ir.BoolScalar(false)}
	case k.IsFloat():
		return []ir.Scalar{ir.Float(k, 0), ir.Float(k, 1)}
	case k.IsInteger():
		return []ir.Scalar{ir.Int(k, 0), ir.Int(k, 1)}
	}
	return nil
}

// plainer returns v with fewer clauses.
func plainer(v *ir.Value) (list []*ir.Value) {
	change := func(apply func(*ir.Value)) {
		c := *v
		c.Args = slices.Clone(v.Args)
		apply(&c)
		list = append(list, &c)
	}
	if v.By != nil {
		change(func(c *ir.Value) { c.By = nil })
	}
	if v.Else != nil {
		change(func(c *ir.Value) { c.Else = nil })
	}
	if v.Limit != nil {
		change(func(c *ir.Value) { c.Limit = nil })
	}
	switch v.Op {
	case ir.OpRuns, ir.OpGroups:
		for i := range v.Args {
			if len(v.Args) > 1 {
				change(func(c *ir.Value) { c.Args = slices.Delete(c.Args, i, i+1) })
			}
		}
	case ir.OpPrev, ir.OpNext:
		if v.Shift > 1 {
			change(func(c *ir.Value) { c.Shift = 1 })
		}
	}
	return list
}

// edit changes a program.
type edit struct {
	results []ir.Result
	instead func(*ir.Value) *ir.Value // the replacement of a value; nil is itself
	changed map[*ir.Value]*ir.Value   // the same value with other attributes
	ordered bool                      // return unordered becomes return
}

// apply returns the changed program, as loaded from its text, or nil if it is not
// valid.
func (e edit) apply(p *ir.Pipeline) *ir.Pipeline {
	b := ir.NewBuilder(p.Name)
	made := map[*ir.Value]ir.Operand{}
	declared := e.declare(b, p, made)
	var of func(v *ir.Value) ir.Operand
	of = func(v *ir.Value) ir.Operand {
		if e.instead != nil {
			for next := e.instead(v); next != v; next = e.instead(v) {
				v = next
			}
		}
		if o, ok := made[v]; ok {
			return o
		}
		as := v
		if changed := e.changed[v]; changed != nil {
			as = changed
		}
		o := b.Copy(as, of)
		made[v] = o
		return o
	}
	var results []any
	for _, r := range e.results {
		results = append(results, ir.As(r.Label, of(r.Value)))
	}
	if p.Reproducible {
		b.Reproducible()
	}
	if p.Unordered && !e.ordered {
		b.ReturnUnordered(results...)
	} else {
		b.Return(results...)
	}
	built, err := b.Pipeline()
	if err != nil || !declared {
		return nil
	}
	text := built.String()
	loaded, errs := ir.Load(p.Name+".kg", []byte(text))
	if errs.Err() != nil {
		return nil
	}
	return loaded[0]
}

// declare declares the parameters that the results need, in order.
func (e edit) declare(b *ir.Builder, p *ir.Pipeline, made map[*ir.Value]ir.Operand) bool {
	needed := map[*ir.Value]bool{}
	var need func(v *ir.Value)
	need = func(v *ir.Value) {
		if e.instead != nil {
			for next := e.instead(v); next != v; next = e.instead(v) {
				v = next
			}
		}
		if needed[v] {
			return
		}
		needed[v] = true
		as := v
		if changed := e.changed[v]; changed != nil {
			as = changed
		}
		for _, o := range as.Operands() {
			need(o)
		}
	}
	for _, r := range e.results {
		need(r.Value)
	}
	any := false
	for _, v := range p.Params {
		switch {
		case !needed[v]:
			continue
		case !v.Type.IsScalar():
			made[v] = b.Column(v.Name, v.Type.Domain.Name, v.Type.Kind)
		case v.Const.Kind != ir.Invalid && v.Const.Kind != ir.Text:
			made[v] = b.ScalarWithDefault(v.Name, v.Type.Kind, v.Const)
		default:
			made[v] = b.Scalar(v.Name, v.Type.Kind)
		}
		any = true
	}
	return any
}
