package ir

import (
	"fmt"
	"slices"
)

// Verify checks that p is well formed: numbering, types, the identity of
// domains, no value twice, checks complete. It makes every value again by the
// constructors of package ir, so it knows no typing rule of its own. Run it
// after whatever makes or changes a graph.
func Verify(p *Pipeline) error {
	v := &verifier{p: p, made: make([]operand, len(p.Values)), domains: map[*Domain]*Domain{}, origins: map[*Domain]*Domain{}, first: map[*Value]*Value{}}
	v.g = newGraph(func(_ Pos, msg, _ string) { v.problem = msg })
	if err := v.structure(); err != nil {
		return fmt.Errorf("pipeline %s: %w", p.Name, err)
	}
	for _, value := range p.Values {
		if err := v.value(value); err != nil {
			return fmt.Errorf("pipeline %s: value %d, %s: %w", p.Name, value.ID, shortText(value), err)
		}
	}
	for _, check := range []func() error{v.used, v.results, v.sites} {
		if err := check(); err != nil {
			return fmt.Errorf("pipeline %s: %w", p.Name, err)
		}
	}
	return nil
}

type verifier struct {
	p       *Pipeline
	g       *graph
	problem string              // what a constructor reported last
	made    []operand           // by value: what the constructors made of it
	first   map[*Value]*Value   // made value to the value it was made from
	domains map[*Domain]*Domain // of p to made
	origins map[*Domain]*Domain // made to of p
}

// structure checks what the constructors rely on.
func (v *verifier) structure() error {
	params := 0
	for i, value := range v.p.Values {
		switch {
		case value == nil:
			return fmt.Errorf("value %d is nil", i)
		case value.ID != i:
			return fmt.Errorf("value %d has number %d", i, value.ID)
		case value.Op == OpInvalid || value.Op >= opEnd:
			return fmt.Errorf("value %d has operator %d", i, value.Op)
		case value.Type.Kind == Invalid || value.Type.Kind >= endOfKinds:
			return fmt.Errorf("value %d has element type %d", i, value.Type.Kind)
		case value.Op == OpParam && (params >= len(v.p.Params) || v.p.Params[params] != value):
			return fmt.Errorf("value %d is no parameter of the pipeline, or not in order", i)
		}
		if value.Op == OpParam {
			params++
		}
		if slices.Contains(value.Args, nil) {
			return fmt.Errorf("value %d, %v, has an operand that is nil", i, value.Op)
		}
		for _, o := range value.Operands() {
			if o.ID < 0 || o.ID >= i || v.p.Values[o.ID] != o {
				return fmt.Errorf("value %d, %v, has an operand that is no earlier value", i, value.Op)
			}
		}
		if err := checkShape(value); err != nil {
			return fmt.Errorf("value %d, %v, %w", i, value.Op, err)
		}
	}
	if params != len(v.p.Params) {
		return fmt.Errorf("%d parameters, of which %d are values", len(v.p.Params), params)
	}
	for i, d := range v.p.Domains {
		if d == nil || d.ID != i {
			return fmt.Errorf("domain %d is nil or misnumbered", i)
		}
	}
	return nil
}

// checkShape requires the operands and attributes that v's operator has, and
// no others.
func checkShape(v *Value) error {
	least, most := 0, 0
	switch spellings[v.Op].form {
	case formInfix, formIndex:
		least, most = 2, 2
	case formPrefix, formCast, formField:
		least, most = 1, 1
	case formCall:
		f := functionsByName[v.Op.String()]
		least, most = f.least, f.most
	}
	switch v.Op {
	case OpPrev, OpNext, OpAlign:
		least, most = 2, 2
	case OpFind, OpJoin:
		least, most = 2, 2*unlimited
	}
	if n := len(v.Args); n < least || n > most {
		return fmt.Errorf("has %d operands", n)
	}
	named := func(name string) bool {
		f := functionsByName[v.Op.String()]
		return f != nil && slices.Contains(f.named, name)
	}
	switch {
	case v.By != nil && !named("by"), v.Else != nil && !named("else"), v.Limit != nil && !named("limit"):
		return fmt.Errorf("has a named operand that it does not take")
	case (v.Reduce != ReduceNone) != (v.Op == OpScan || v.Op == OpExscan), int(v.Reduce) >= len(reduceNames):
		return fmt.Errorf("has operation %d", v.Reduce)
	case v.Shift < 0 || v.Shift > 0 && v.Op != OpPrev && v.Op != OpNext:
		return fmt.Errorf("has distance %d", v.Shift)
	case (v.Op == OpFind || v.Op == OpJoin) != (v.Split > 0), v.Split < 0 || v.Split > 0 && v.Split >= len(v.Args):
		return fmt.Errorf("splits its keys at %d", v.Split)
	case v.Op == OpOrder && len(v.Desc) != len(v.Args) || v.Op != OpOrder && v.Desc != nil:
		return fmt.Errorf("has %d directions", len(v.Desc))
	case v.Op == OpConst && v.Const.Kind != v.Type.Kind:
		return fmt.Errorf("is a constant of %v with type %v", v.Const.Kind, v.Type)
	case v.Op == OpParam && v.Const.Kind != Invalid && v.Const.Kind != v.Type.Kind:
		return fmt.Errorf("has a default of %v with type %v", v.Const.Kind, v.Type)
	case v.Missing.Kind != Invalid && (v.Op != OpParam || v.Type.IsScalar() || v.Missing.Kind != v.Type.Kind):
		return fmt.Errorf("has a %v where it is missing with type %v", v.Missing.Kind, v.Type)
	case (v.Literal != nil) != (v.Hidden || v.Const.Kind == Text || v.Missing.Kind == Text),
		v.Hidden && (v.Op != OpParam || v.Type.Kind != Text || !v.Type.IsScalar()):
		return fmt.Errorf("is no constant text of type %v", v.Type)
	case v.Like != nil && (v.Op != OpParam || v.Type.IsScalar() || v.Type.Kind != Bool || v.Present != nil):
		return fmt.Errorf("is like a pattern with type %v", v.Type)
	case v.Present != nil && v.Op != OpParam:
		return fmt.Errorf("tells of %v", v.Present)
	}
	return nil
}

// value makes value again and compares.
func (v *verifier) value(value *Value) error {
	if value.Op == OpParam {
		if d := value.Type.Domain; d != nil && (d.Kind != DomainParam || d.By != nil || d.Parent != nil) {
			return fmt.Errorf("parameter over the domain %v that a value made", d)
		}
	}
	made := v.remake(value)
	if made.bad() {
		return fmt.Errorf("%s", v.problem)
	}
	if other := v.first[made.value]; other != nil {
		return fmt.Errorf("equals value %d", other.ID)
	}
	v.first[made.value] = value
	v.made[value.ID] = made
	t, want := value.Type, made.value.Type
	if t.Kind != want.Kind || !v.sameDomain(t.Domain, want.Domain) || !v.sameDomain(t.Target, want.Target) {
		return fmt.Errorf("has type %v, not %v", t, want)
	}
	return nil
}

// sameDomain reports whether domain d of p corresponds to the domain made.
func (v *verifier) sameDomain(d, made *Domain) bool {
	if d == nil || made == nil {
		return d == nil && made == nil
	}
	known, ok := v.domains[d]
	origin, taken := v.origins[made]
	if ok || taken {
		return known == made && origin == d
	}
	v.domains[d], v.origins[made] = made, d
	if d.ID < 0 || d.ID >= len(v.p.Domains) || v.p.Domains[d.ID] != d || d.Kind != made.Kind {
		return false
	}
	if (d.By == nil) != (made.By == nil) || d.By != nil && v.madeOf(d.By) != made.By {
		return false
	}
	return v.sameDomain(d.Parent, made.Parent)
}

// madeOf returns what the constructors made of value, nil if nothing so far.
func (v *verifier) madeOf(value *Value) *Value {
	if value.ID < 0 || value.ID >= len(v.p.Values) || v.p.Values[value.ID] != value {
		return nil
	}
	return v.made[value.ID].value
}

// remake makes value from the operands made so far.
func (v *verifier) remake(value *Value) operand {
	arg := func(o *Value) operand { return v.made[o.ID] }
	switch spellings[value.Op].form {
	case formInfix:
		return v.g.binary(value.Pos, value.Op, arg(value.Args[0]), arg(value.Args[1]))
	case formPrefix:
		return v.g.unary(value.Pos, value.Op, arg(value.Args[0]))
	case formCast:
		return v.g.cast(value.Pos, value.Type.Kind, arg(value.Args[0]))
	case formIndex:
		return v.g.subscript(value.Pos, arg(value.Args[0]), arg(value.Args[1]))
	case formField:
		return v.g.field(value.Pos, arg(value.Args[0]), value.Op.String())
	case formCall:
		return v.g.call(v.call(value))
	}
	if value.Op == OpConst {
		return v.g.scalar(value.Pos, value.Const)
	}
	if value.Hidden {
		return v.g.text(value.Pos, *value.Literal)
	}
	letter := ""
	if d := value.Type.Domain; d != nil {
		letter = d.Name
	}
	made := Value{Name: value.Name, Type: Type{Kind: value.Type.Kind}, Const: value.Const, Missing: value.Missing, Literal: value.Literal, Like: value.Like, Pos: value.Pos}
	if of := value.Present; of != nil {
		made.Present = v.madeOf(of)
		if made.Present == nil {
			return v.g.fail(value.Pos, "", "tells of no earlier parameter")
		}
		if !v.g.tellsOf(value.Pos, made, letter) {
			return operand{pos: value.Pos}
		}
	}
	return operand{value: v.g.parameter(made, letter)}
}

// call is the call that value was made by.
func (v *verifier) call(value *Value) *call {
	c := &call{pos: value.Pos, op: functionsByName[value.Op.String()], named: map[string]operand{}, reduce: value.Reduce}
	for i, o := range value.Args {
		a := v.made[o.ID]
		a.desc = i < len(value.Desc) && value.Desc[i]
		c.args = append(c.args, a)
	}
	for name, o := range map[string]*Value{"by": value.By, "else": value.Else, "limit": value.Limit} {
		if o != nil {
			c.named[name] = v.made[o.ID]
		}
	}
	switch value.Op {
	case OpPrev, OpNext:
		distance := v.g.scalar(value.Pos, Int(I64, value.Shift))
		c.args = slices.Insert(c.args, 1, distance)
	case OpAlign:
		c.named["to"] = c.args[1]
		c.args = c.args[:1]
	case OpFind:
		c.named["in"] = operand{parts: c.args[value.Split:]}
		c.args = []operand{{parts: c.args[:value.Split]}}
	case OpJoin:
		c.args = []operand{{parts: c.args[:value.Split]}, {parts: c.args[value.Split:]}}
	}
	return c
}

// used requires that results need every value but parameters.
func (v *verifier) used() error {
	needed := make([]bool, len(v.p.Values))
	for _, r := range v.p.Results {
		if r.Value == nil || r.Value.ID < 0 || r.Value.ID >= len(needed) || v.p.Values[r.Value.ID] != r.Value {
			return fmt.Errorf("result %s is no value of the pipeline", r.Label)
		}
		needed[r.Value.ID] = true
	}
	for i, value := range slices.Backward(v.p.Values) {
		if !needed[i] && value.Op != OpParam {
			return fmt.Errorf("value %d, %s, is never used", i, shortText(value))
		}
		for _, o := range value.Operands() {
			needed[o.ID] = true
		}
	}
	return nil
}

func (v *verifier) results() error {
	list := resultList{g: v.g}
	for _, r := range v.p.Results {
		v.problem = ""
		list.add(r.Label, r.Pos, v.made[r.Value.ID])
		if v.problem != "" {
			return fmt.Errorf("result %s: %s", r.Label, v.problem)
		}
	}
	if v.p.Unordered {
		list.unordered()
	}
	if v.problem != "" {
		return fmt.Errorf("%s", v.problem)
	}
	return nil
}

// sites compares the listed checks with those that analysis finds.
func (v *verifier) sites() error {
	want := analyze(v.p).sites(v.p)
	if len(want) != len(v.p.Sites) {
		return fmt.Errorf("%d checks listed, of %d", len(v.p.Sites), len(want))
	}
	for i, s := range v.p.Sites {
		w := want[i]
		if s.Number != w.Number || s.Kind != w.Kind || s.Value != w.Value || s.Domain != w.Domain {
			return fmt.Errorf("check %d is of value %d, not of %d", i, s.Value.ID, w.Value.ID)
		}
	}
	return nil
}
