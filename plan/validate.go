package plan

import (
	"fmt"
	"slices"
	"strings"
)

// The maximum of errors that are reported of a plan, and the length of each.
const (
	maxErrors     = 20
	maxErrorBytes = 500
)

// InvalidError lists the errors of a plan, at most 20. Each line begins with the
// path of the offending part.
type InvalidError struct {
	Problems []string // at most 20
}

// Error returns a line per problem.
func (e *InvalidError) Error() string {
	return "plan: " + strings.Join(e.Problems, "\nplan: ")
}

// Validate checks that p can be run: every name is defined, expressions have the
// type that their place needs, buffers are allocated before use, inputs are never
// written, and errors are checked before a length is read and before the results
// are returned. The error is an [InvalidError].
func Validate(p *Plan) error {
	v := &validator{}
	v.plan(p)
	if len(v.problems) > 0 {
		return &InvalidError{v.problems}
	}
	return nil
}

// validator collects errors; its names are those of the plan at path.
type validator struct {
	problems []string
	path     string // of the plan: "" or "fallback."

	p       *Plan
	domains map[string]*Domain
	scalars map[string]*Scalar
	buffers map[string]*Buffer
	kernels map[string]*Kernel

	lengths       map[string]bool     // domains whose length the host knows
	errors, abort *Buffer             // nil if the plan has none
	sizes         map[string]bool     // scalars that decide a size
	sizedBy       map[string][]string // the buffers whose length depends on a scalar
}

func (v *validator) report(path, format string, args ...any) {
	if len(v.problems) == maxErrors {
		return
	}
	problem := v.path + path + ": " + fmt.Sprintf(format, args...)
	if len(problem) > maxErrorBytes {
		problem = strings.ToValidUTF8(problem[:maxErrorBytes], "") + "..."
	}
	v.problems = append(v.problems, problem)
}

func (v *validator) plan(p *Plan) {
	v.p = p
	v.errors, v.abort = nil, nil
	if p.Version != Version {
		v.report("version", "%d; this program runs version %d", p.Version, Version)
	}
	if p.Pipeline == "" {
		v.report("pipeline", "a plan has the name of its pipeline")
	}
	index(v, "ports", p.Ports, func(x *Port) string { return string(x.Direction) + " " + x.Name }) // a result may be called like a parameter
	v.domains = index(v, "domains", p.Domains, func(x *Domain) string { return x.Name })
	v.scalars = index(v, "scalars", p.Scalars, func(x *Scalar) string { return x.Name })
	v.buffers = index(v, "buffers", p.Buffers, func(x *Buffer) string { return x.Name })
	v.kernels = index(v, "kernels", p.Kernels, func(x *Kernel) string { return x.Name })
	v.declarations()
	v.sizes, v.sizedBy = sizeScalars(p), buffersSizedBy(p)
	v.flow()

	if f := p.Fallback; f != nil {
		if !slices.EqualFunc(p.Ports, f.Ports, samePort) {
			v.report("fallback.ports", "the fallback's ports must have the names, directions, kinds and defaults of the plan's own, in the same order")
		}
		v.path += "fallback."
		v.plan(f)
	}
}

func samePort(a, b Port) bool {
	return a.Name == b.Name && a.Direction == b.Direction && a.Kind == b.Kind && a.Default == b.Default && a.Text == b.Text &&
		a.Domain == b.Domain && (a.Buffer == "") == (b.Buffer == "")
}

// index maps the names of a list and reports empty and repeated ones.
func index[T any](v *validator, list string, items []T, name func(*T) string) map[string]*T {
	byName := make(map[string]*T, len(items))
	for i := range items {
		item := &items[i]
		path := fmt.Sprintf("%s[%d]", list, i)
		switch n := name(item); {
		case n == "":
			v.report(path, "has no name")
		case byName[n] != nil:
			v.report(path, "there are two with the name %q", n)
		default:
			byName[n] = item
		}
	}
	return byName
}

// lookup finds a name and reports it if it is not defined.
func lookup[T any](v *validator, path, what, name string, in map[string]*T) *T {
	item := in[name]
	if item == nil {
		v.report(path, "there is no %s %q; %s", what, name, have(in))
	}
	return item
}

// have lists the names that are defined.
func have[T any](in map[string]*T) string {
	names := make([]string, 0, len(in))
	for name := range in {
		names = append(names, name)
	}
	if len(names) == 0 {
		return "there are none"
	}
	slices.Sort(names)
	const most = 12
	if len(names) > most {
		names = append(names[:most], "...")
	}
	return "there are " + strings.Join(names, ", ")
}

func (v *validator) kind(path string, k Kind) bool {
	if k.Size() == 0 {
		v.report(path, "there is no kind %q; there are %s", k, kindNames)
	}
	return k.Size() > 0
}

// storedKind is kind of a buffer or scalar, which are not decimals.
func (v *validator) storedKind(path string, k Kind) bool {
	if k.Stored() != k {
		v.report(path, "only ports are %s; what holds it is %s", k, k.Stored())
	}
	return v.kind(path, k) && k.Stored() == k
}

func (v *validator) literal(path string, k Kind, text Literal) {
	if _, err := k.Parse(text); err != nil && k.Size() > 0 {
		v.report(path, "%v", err)
	}
}

// where says what an expression in a place may use.
type where struct {
	condition bool // it has to be a condition, otherwise an integer
	rows      bool // it may use the rows of the launch
	build     bool // only constants, machine and resident
	domains   int  // it may use only this many domains, from the first on
}

var (
	anywhere = where{domains: 1 << 62}
	launched = where{domains: 1 << 62, rows: true}
	building = where{build: true}
	deciding = where{domains: 1 << 62, condition: true}
)

func (v *validator) expr(path string, e Expr, in where) {
	if e.IsZero() {
		v.report(path, "an expression is missing")
		return
	}
	if e.IsCondition() != in.condition {
		if in.condition {
			v.report(path, "%s is a number; it has to be a condition such as lt(a, b)", e)
		} else {
			v.report(path, "%s is a condition; it has to be a number", e)
		}
		return
	}
	switch e.Op {
	case OpConst:
	case OpScalar:
		if s := lookup(v, path, "scalar", e.Name, v.scalars); s != nil && s.Kind != I64 {
			v.report(path, "the scalar %q is %s; an expression takes i64 only", e.Name, s.Kind)
		}
	case OpLen:
		if lookup(v, path, "domain", e.Name, v.domains) == nil {
			break
		}
		at := slices.IndexFunc(v.p.Domains, func(d Domain) bool { return d.Name == e.Name })
		if !in.build && at >= in.domains {
			v.report(path, "len(%s): a domain may use only the domains before it", e.Name)
		} else if !v.lengths[e.Name] {
			v.report(path, "the length of %q is on the device only: read it into a scalar and give the domain a len", e.Name)
		}
	case OpMachine:
		if name, ok := renamedProperties[e.Name]; ok {
			v.report(path, "the property %q of a machine is now called %q", e.Name, name)
		} else if !slices.Contains(Properties, e.Name) {
			v.report(path, "a machine has no property %q; there are %s", e.Name, strings.Join(Properties, ", "))
		}
	case OpResident:
		lookup(v, path, "kernel", e.Name, v.kernels)
	case OpRows:
		if !in.rows {
			v.report(path, "rows is allowed only in a variant's grid and in arguments")
		}
	default:
		count, ok := operands[e.Op]
		if !ok {
			v.report(path, "there is no operator %q; there are %s", e.Op, operatorNames)
			return
		}
		if len(e.Args) != count {
			v.report(path, "%s takes %d operands, not %d", e.Op, count, len(e.Args))
			return
		}
		in.condition = e.Op == OpAnd
		for _, arg := range e.Args {
			v.expr(path, arg, in)
		}
	}
	if in.build && (e.Op == OpScalar || e.Op == OpLen) {
		v.report(path, "%s is not known when a kernel is built; use constants, machine and resident", e)
	}
}

func (v *validator) optional(path string, e Expr, in where) {
	if !e.IsZero() {
		v.expr(path, e, in)
	}
}
