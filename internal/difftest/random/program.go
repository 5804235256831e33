package random

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/ir"
)

// Options choose among programs.
type Options struct {
	Without []ir.Op // operators that no program shall have
}

// Source returns the text of random program number of a seed; equal arguments
// give equal text on every machine. Its pipeline is called rNUMBER.
func Source(seed uint64, number int, options Options) (text string) {
	for attempt := range attempts {
		g := &generator{
			r:       rand.New(rand.NewPCG(seed, uint64(number)^uint64(attempt)<<32)),
			without: options.Without,
			taken:   map[string]bool{},
		}
		if text = g.program(fmt.Sprintf("r%d", number), number); g.paired != nil {
			break
		}
	}
	return text
}

// attempts are made until a program has its pair of operators: some pairs need
// a grouping that is there by chance only.
const attempts = 12

// Pipeline returns the program of Source. An error is a fault of the generator
// or of package ir, which disagree about what is valid.
func Pipeline(seed uint64, number int, options Options) (*ir.Pipeline, error) {
	text := Source(seed, number, options)
	pipelines, errs := ir.Load(fmt.Sprintf("r%d.kg", number), []byte(text))
	if err := errs.Err(); err != nil {
		return nil, fmt.Errorf("random program %d of seed %d is not valid: %w\n%s", number, seed, err, text)
	}
	return pipelines[0], nil
}

// domain is a set of rows, as the generator thinks of it.
type domain struct {
	name   string // of a parameter's domain; "" of one that an operator made
	full   bool   // of groups: each has a row
	column func(g *generator, k ir.Kind) *value
}

// value is a parameter, a named statement, or an expression to be used once.
type value struct {
	op       ir.Op
	text     string
	kind     ir.Kind
	domain   *domain // nil for a scalar
	target   *domain // of an index column
	scans    bool    // scans may begin anew at its groups
	inline   bool    // an expression without a name
	literal  bool
	operands []*value
	used     bool
	line     string // the statement, or the parameter
}

func (v *value) isScalar() bool { return v.domain == nil }

// generator makes one program.
type generator struct {
	r          *rand.Rand
	without    []ir.Op
	taken      map[string]bool
	params     []*value
	statements []*value
	pool       []*value // what operands are chosen from
	domains    []*domain
	wanted     *value  // an operand that the next operator shall take, if it can
	paired     *value  // what reads the first operator of the program's pair
	focus      *domain // rows that an operator made last, which others shall read; or nil
	count      int
}

const (
	leastStatements = 2
	moreStatements  = 20
	mostResults     = 9
	mostParameters  = 12
)

// program makes a program. Its number chooses a pair of operators of which the
// second shall read the first; the rest is chance.
func (g *generator) program(name string, number int) string {
	for range 1 + g.r.IntN(2) {
		g.newDomain()
	}
	for range 2 + g.r.IntN(4) {
		g.parameter(g.kind(), g.domains[g.r.IntN(len(g.domains))])
	}
	rules := g.rules()
	if g.r.IntN(2) == 0 { // rows of a filter, for operators that are harder there
		compact(g)
	}
	switch g.r.IntN(8) {
	case 0, 1:
		keyedByFloats(g, rules)
	case 2:
		keptGroups(g)
	case 3:
		if !slices.Contains(g.without, ir.OpFind) {
			lookedUp(g)
		}
	}
	size := leastStatements + g.r.IntN(moreStatements)
	at := g.r.IntN(size)
	pairs := possiblePairs(rules)
	for i := range size {
		if i == at && len(pairs) > 0 {
			g.pair(rules, pairs[number%len(pairs)])
			continue
		}
		g.statement(g.draw(rules))
	}
	return g.text(name)
}

// draw draws an operator, half of the time from those that are not element-wise:
// there are fewer of them.
func (g *generator) draw(rules []rule) rule {
	first := slices.IndexFunc(rules, func(r rule) bool { return !r.op.IsElementwise() })
	if g.r.IntN(2) == 0 {
		return rules[first+g.r.IntN(len(rules)-first)]
	}
	return rules[g.r.IntN(len(rules))]
}

const tries = 20

// statement tries to make a value of an operator.
func (g *generator) statement(rule rule) *value {
	for range tries {
		if v := rule.make(g); v != nil {
			return v
		}
	}
	return nil
}

// pair makes a value of the first operator and one of the second that reads it.
func (g *generator) pair(rules []rule, pair [2]ir.Op) {
	find := func(op ir.Op) rule { return rules[slices.IndexFunc(rules, func(r rule) bool { return r.op == op })] }
	first, second := find(pair[0]), find(pair[1])
	// Most operators give what they take: a value to begin with.
	shared := slices.DeleteFunc(slices.Clone(first.gives), func(k ir.Kind) bool { return !slices.Contains(second.takes, k) })
	if k := shared[g.r.IntN(len(shared))]; !slices.ContainsFunc(g.pool, func(v *value) bool { return v.kind == k }) {
		g.parameter(k, g.domains[0])
	}
	pool, statements := slices.Clone(g.pool), len(g.statements)
	for range 20 * tries {
		if first := g.statement(first); first != nil {
			g.wanted = first
			second := g.statement(second)
			g.wanted = nil
			if second != nil && slices.Contains(second.operands, first) {
				g.paired = second
				return
			}
		}
		g.pool, g.statements = slices.Clone(pool), g.statements[:statements]
	}
}

// text writes the program: the results, and what they need.
func (g *generator) text(name string) string {
	var results []*value
	for _, v := range g.statements {
		if !v.used {
			results = append(results, v)
		}
	}
	if len(results) == 0 || g.r.IntN(4) == 0 { // some that are used, too
		all := append(slices.Clone(g.params), g.statements...)
		if v := all[g.r.IntN(len(all))]; !v.inline && v.kind != ir.Pair && !slices.Contains(results, v) {
			results = append(results, v)
		}
	}
	if len(results) == 0 {
		results = g.params[:1]
	}
	for len(results) > mostResults {
		if i := g.r.IntN(len(results)); results[i] != g.paired {
			results = slices.Delete(results, i, i+1)
		}
	}
	needed := map[*value]bool{}
	var need func(v *value)
	need = func(v *value) {
		if !needed[v] {
			needed[v] = true
			for _, o := range v.operands {
				need(o)
			}
		}
	}
	for _, v := range results {
		need(v)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "pipeline %s(", name)
	separator := ""
	for _, v := range g.params {
		if needed[v] {
			b.WriteString(separator + v.line)
			separator = ", "
		}
	}
	b.WriteString(") {\n")
	for _, v := range g.statements {
		if needed[v] && !v.inline {
			fmt.Fprintf(&b, "\t%s = %s\n", v.text, v.line)
		}
	}
	b.WriteString("\treturn ")
	if g.r.IntN(8) == 0 && !slices.ContainsFunc(results, func(v *value) bool { return v.target != nil }) {
		b.WriteString("unordered ")
	}
	if g.r.IntN(4) == 0 {
		b.WriteString("reproducible ")
	}
	for i, v := range results {
		if i > 0 {
			b.WriteString(", ")
		}
		if v.inline {
			fmt.Fprintf(&b, "result%d: ", i)
		}
		b.WriteString(v.text)
	}
	b.WriteString("\n}\n")
	return b.String()
}

// names are legal, and words of the languages that programs are emitted in.
var names = []string{"count", "date", "type", "by", "left", "int", "float", "for", "kernel", "barrier", "main", "restrict",
	"rows", "tile", "workers", "error", "options", "result", "func", "range", "group", "double", "local", "atomic_add", "signed", "uint", "len"}

// fresh returns a name that nothing has: mostly a plain one.
func (g *generator) fresh(prefix string) string {
	name := fmt.Sprintf("%s%d", prefix, g.count)
	g.count++
	if g.r.IntN(8) == 0 {
		if other := names[g.r.IntN(len(names))]; !g.taken[other] {
			name = other
		}
	}
	g.taken[name] = true
	return name
}

// newDomain adds a domain of parameters.
func (g *generator) newDomain() {
	d := &domain{name: string(rune('n' + len(g.domains)))}
	d.column = func(g *generator, k ir.Kind) *value { return g.parameter(k, d) }
	g.domains = append(g.domains, d)
}

// parameter adds a parameter, or returns nil where there are enough.
func (g *generator) parameter(k ir.Kind, d *domain) *value {
	if len(g.params) >= mostParameters {
		return nil
	}
	v := &value{op: ir.OpParam, text: g.fresh("p"), kind: k, domain: d}
	v.line = v.text + ": "
	if d != nil {
		v.line += "[" + d.name + "]"
	}
	v.line += k.String()
	if d == nil && g.r.IntN(2) == 0 {
		v.line += " = " + g.literal(k).text
	}
	g.params = append(g.params, v)
	g.pool = append(g.pool, v)
	return v
}

// kind returns any element type.
func (g *generator) kind() ir.Kind { return all[g.r.IntN(len(all))] }

// add makes a value of an expression, in which $1 stands for the first operand:
// a statement, or where it may an expression that one other will hold.
func (g *generator) add(v value, text string, operands ...*value) *value {
	var texts []string
	for i, o := range operands {
		texts = append(texts, fmt.Sprintf("$%d", i+1), o.text)
		o.used = true
		if o.inline {
			g.pool = slices.DeleteFunc(g.pool, func(other *value) bool { return other == o })
		}
		if !o.literal {
			v.operands = append(v.operands, o)
		}
	}
	v.line = strings.NewReplacer(texts...).Replace(text)
	if v.op.IsElementwise() && len(v.line) < 60 && g.r.IntN(3) == 0 {
		v.inline, v.text = true, "("+v.line+")"
	} else {
		v.text = g.fresh("v")
	}
	if v.domain != nil && len(operands) > 0 && v.domain != operands[0].domain && g.r.IntN(3) > 0 {
		g.focus = v.domain
	}
	made := &v
	g.statements = append(g.statements, made)
	g.pool = append(g.pool, made)
	return made
}

// named gives a value a name, which masks that select rows have.
func (g *generator) named(v *value) *value {
	if v.inline {
		v.inline, v.text = false, g.fresh("v")
	}
	return v
}

// pick returns a value that fits, mostly a recent one; nil where there is none.
func (g *generator) pick(fits func(*value) bool) *value {
	if g.wanted != nil && fits(g.wanted) {
		return g.wanted
	}
	var found []*value
	for _, v := range g.pool {
		if fits(v) {
			found = append(found, v)
		}
	}
	if len(found) == 0 {
		return nil
	}
	if few := 4; len(found) > few && g.r.IntN(2) == 0 {
		found = found[len(found)-few:]
	}
	if g.focus != nil && g.r.IntN(2) == 0 {
		var inside []*value
		for _, v := range found {
			if v.domain == g.focus {
				inside = append(inside, v)
			}
		}
		if len(inside) > 0 {
			found = inside
		}
	}
	return found[g.r.IntN(len(found))]
}

// pickKind is pick among values of some kinds; where there is none, it adds a
// parameter of one.
func (g *generator) pickKind(fits func(ir.Kind) bool) *value {
	if v := g.pick(func(v *value) bool { return fits(v.kind) }); v != nil {
		return v
	}
	for range tries {
		if k := g.kind(); fits(k) {
			return g.parameter(k, g.domains[0])
		}
	}
	return nil
}

// like returns an operand of kind k that goes with rows of d: a column over it,
// a scalar or a literal.
func (g *generator) like(k ir.Kind, d *domain) *value {
	fits := func(v *value) bool { return v.kind == k && (v.isScalar() || v.domain == d) }
	if g.wanted != nil && fits(g.wanted) {
		return g.wanted
	}
	if g.r.IntN(4) == 0 {
		return g.literal(k)
	}
	if v := g.pick(fits); v != nil {
		return v
	}
	if d != nil && g.r.IntN(2) == 0 {
		if v := d.column(g, k); v != nil {
			return v
		}
	}
	return g.literal(k)
}

// over returns a column of kind k over d, or nil.
func (g *generator) over(k ir.Kind, d *domain) *value {
	if v := g.pick(func(v *value) bool { return v.kind == k && v.domain == d }); v != nil {
		return v
	}
	return d.column(g, k)
}

// scalar returns a scalar of kind k.
func (g *generator) scalar(k ir.Kind) *value {
	fits := func(v *value) bool { return v.kind == k && v.isScalar() }
	if v := g.pick(fits); v != nil && g.r.IntN(3) > 0 {
		return v
	}
	if g.r.IntN(4) == 0 {
		if v := g.parameter(k, nil); v != nil {
			return v
		}
	}
	return g.literal(k)
}
