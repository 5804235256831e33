package ir

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// A graph is a pipeline under construction. Its methods are the constructors
// of all values and hold all typing rules; the resolver (text) and the Builder
// (Go) call the same ones. A constructor that meets an error reports it and
// returns an operand without a value, which every later constructor passes on
// in silence, so one mistake makes one message.
type graph struct {
	report  func(pos Pos, msg, hint string)
	values  []*Value
	known   map[string]*Value // every value but parameters, by structure
	made    map[*Value]*Domain
	letters map[string]*Domain // the domains of parameters
	params  []*Value           // that are declared
	texts   map[string]*Value  // the constants of kind Text
}

func newGraph(report func(pos Pos, msg, hint string)) *graph {
	return &graph{
		report:  report,
		known:   map[string]*Value{},
		made:    map[*Value]*Domain{},
		letters: map[string]*Domain{},
		texts:   map[string]*Value{},
	}
}

// fail reports an error and returns the operand that keeps it the only one.
func (g *graph) fail(pos Pos, hint, format string, args ...any) operand {
	g.report(pos, fmt.Sprintf(format, args...), hint)
	return operand{pos: pos}
}

// tellsOf requires that a parameter over a domain may tell which rows of p.Present have a
// value.
func (g *graph) tellsOf(pos Pos, p Value, domain string) bool {
	of := p.Present
	switch {
	case p.Type.Kind != Bool:
		g.fail(pos, fmt.Sprintf("write %s: [%s]bool present %s", p.Name, domain, of.Name), "whether %s has a value is a bool, and %s is %v", of.Name, p.Name, p.Type.Kind)
	case of.Op != OpParam || of.Type.IsScalar() || of.Type.Domain.Name != domain:
		g.fail(pos, "name a column parameter over the same domain", "%s is no parameter over %s", of.Name, domain)
	case of.Missing.Kind == Invalid:
		g.fail(pos, fmt.Sprintf("say what the other rows have, as in %s: %v missing 0", of.Name, of.Type), "every row of %s has a value", of.Name)
	default:
		return true
	}
	return false
}

// parameter adds a parameter; domain is "" for a scalar.
func (g *graph) parameter(p Value, domain string) *Value {
	v := &p
	v.ID, v.Op = len(g.values), OpParam
	if domain != "" {
		d := g.letters[domain]
		if d == nil {
			d = &Domain{Kind: DomainParam, Name: domain}
			g.letters[domain] = d
		}
		v.Type.Domain = d
	}
	g.values = append(g.values, v)
	g.params = append(g.params, v)
	return v
}

// intern returns the one value of v's structure.
func (g *graph) intern(v Value) *Value {
	key := structure(&v)
	if old, ok := g.known[key]; ok {
		return old
	}
	v.ID = len(g.values)
	kept := &v
	g.values = append(g.values, kept)
	g.known[key] = kept
	return kept
}

// structure encodes what makes two values equal: operator, element type (casts
// and constants differ in it), operands and attributes. It needs no domains,
// because they follow from the operands, and no Split, which halves them.
func structure(v *Value) string {
	id := func(v *Value) int64 {
		if v == nil {
			return -1
		}
		return int64(v.ID)
	}
	key := []byte{byte(v.Op), byte(v.Type.Kind), byte(v.Reduce)}
	key = binary.AppendVarint(key, int64(len(v.Args)))
	for _, a := range v.Args {
		key = binary.AppendVarint(key, id(a))
	}
	key = binary.AppendVarint(key, id(v.By))
	key = binary.AppendVarint(key, id(v.Else))
	key = binary.AppendVarint(key, id(v.Limit))
	key = binary.AppendVarint(key, v.Shift)
	key = binary.AppendUvarint(key, v.Const.Bits)
	for _, d := range v.Desc {
		if d {
			key = append(key, 1)
		} else {
			key = append(key, 0)
		}
	}
	return string(key)
}

// domainOf returns the one domain that v made.
func (g *graph) domainOf(kind DomainKind, v *Value, parent *Domain) *Domain {
	d := g.made[v]
	if d == nil {
		d = &Domain{Kind: kind, Name: v.Name, By: v, Parent: parent}
		if d.Name == "" {
			d.Name = shortText(v)
		}
		g.made[v] = d
	}
	return d
}

// name gives a statement's name to the value that it defines first. Constants
// stay nameless: one constant is shared by all its uses.
func (g *graph) name(v *Value, name string) {
	if v.Name != "" || v.Op == OpConst {
		return
	}
	v.Name = name
	if d := g.made[v]; d != nil {
		d.Name = name
	}
}

// needed reports for every value whether results are computed from it.
func (g *graph) needed(results []Result) []bool {
	needed := make([]bool, len(g.values))
	for _, r := range results {
		needed[r.Value.ID] = true
	}
	for i := len(g.values) - 1; i >= 0; i-- {
		if needed[i] {
			for _, o := range g.values[i].Operands() {
				needed[o.ID] = true
			}
		}
	}
	return needed
}

// finish returns the pipeline that computes results: the values they need,
// numbered densely in the order they were made, so operands come first. The
// constants, which literals make at different times depending on how they are
// written, stand behind the parameters in the order of their first use, first those of
// kind Text.
func (g *graph) finish(name, doc string, pos Pos, results []Result, unordered, reproducible bool) *Pipeline {
	p := &Pipeline{Name: name, Doc: doc, Pos: pos, Params: slices.Clone(g.params), Results: results, Unordered: unordered, Reproducible: reproducible}
	needed := g.needed(results)
	for _, v := range g.params {
		needed[v.ID] = true
	}
	numbered := make([]bool, len(g.values))
	number := func(v *Value, i int) {
		if needed[i] && !numbered[i] {
			numbered[i] = true
			p.Values = append(p.Values, v)
		}
	}
	for _, v := range g.params {
		number(v, v.ID)
	}
	hidden := func(v *Value) {
		if v.Hidden && !numbered[v.ID] {
			p.Params = append(p.Params, v)
			number(v, v.ID)
		}
	}
	for i, v := range g.values {
		if needed[i] {
			for _, o := range v.Operands() {
				hidden(o)
			}
		}
	}
	for _, r := range results {
		hidden(r.Value)
	}
	for i, v := range g.values {
		if needed[i] {
			for _, o := range v.Operands() {
				if o.Op == OpConst {
					number(o, o.ID)
				}
			}
		}
	}
	for _, r := range results { // a result that is a constant, wherever it was written
		if r.Value.Op == OpConst {
			number(r.Value, r.Value.ID)
		}
	}
	for i, v := range g.values {
		number(v, i)
	}
	for i, v := range p.Values {
		v.ID = i
	}
	nameTexts(p)
	p.Domains = domainsOf(p.Values)
	p.facts = analyze(p)
	p.Sites = p.facts.sites(p)
	p.Warnings = p.facts.warnings
	return p
}

// domainsOf numbers the domains of values in the order of their first use, and
// makes their names differ.
func domainsOf(values []*Value) []*Domain {
	var domains []*Domain
	seen, taken := map[*Domain]bool{nil: true}, map[string]bool{}
	for _, v := range values {
		for _, d := range [...]*Domain{v.Type.Domain, v.Type.Target} {
			if seen[d] {
				continue
			}
			seen[d] = true
			d.ID = len(domains)
			domains = append(domains, d)
			for n, name := 2, d.Name; taken[d.Name]; n++ {
				d.Name = fmt.Sprintf("%s.%d", name, n)
			}
			taken[d.Name] = true
		}
	}
	return domains
}
