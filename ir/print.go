package ir

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// String returns the canonical source text of p. Loading it gives an equal
// pipeline: the same values under the same numbers, so also the same checks.
func (p *Pipeline) String() string {
	var b strings.Builder
	if p.Doc != "" {
		for line := range strings.Lines(p.Doc) {
			b.WriteString(strings.TrimRight("// "+strings.TrimSuffix(line, "\n"), " ") + "\n")
		}
	}
	n := nameValues(p)
	w := &valueWriter{name: func(v *Value) string { return n.names[v.ID] }}
	w.WriteString("pipeline " + p.Name + "(")
	for i, v := range p.Declared() {
		if i > 0 {
			w.WriteString(", ")
		}
		w.parameter(v)
	}
	w.WriteString(") {\n")
	for _, v := range p.Values {
		if name := n.names[v.ID]; name != "" && v.Op != OpParam {
			w.WriteString(name + " = ")
			w.definition(v)
			w.WriteByte('\n')
		}
	}
	w.WriteString("return ")
	if p.Unordered {
		w.WriteString("unordered ")
	}
	if p.Reproducible {
		w.WriteString("reproducible ")
	}
	for i, r := range p.Results {
		if i > 0 {
			w.WriteString(", ")
		}
		if r.Label != n.label(r.Value) {
			w.WriteString(r.Label + ": ")
		}
		w.value(r.Value, lowest)
	}
	w.WriteString("\n}\n")
	b.WriteString(w.String())
	file, _ := Parse(p.Name, []byte(b.String()))
	return string(Format(file))
}

func (w *valueWriter) parameter(v *Value) {
	w.WriteString(v.Name + ": ")
	if d := v.Type.Domain; d != nil {
		w.WriteString("[" + d.Name + "]")
	}
	w.WriteString(v.Type.Kind.String())
	if v.Const.Kind != Invalid {
		w.WriteString(" = ")
		w.parameterConstant(v, v.Const)
	}
	if v.Like != nil {
		w.WriteString(" like " + strconv.Quote(string(*v.Like)))
	}
	if v.Missing.Kind != Invalid {
		w.WriteString(" missing ")
		w.parameterConstant(v, v.Missing)
	}
	if v.Present != nil {
		w.WriteString(" present " + v.Present.Name)
	}
}

// parameterConstant writes the default of a parameter, or what its missing rows have.
func (w *valueWriter) parameterConstant(v *Value, s Scalar) {
	if s.Kind == Text {
		w.WriteString(strconv.Quote(*v.Literal))
		return
	}
	w.constant(s, true, lowest)
}

// definition writes the expression of a named value.
func (w *valueWriter) definition(v *Value) {
	name := w.name
	w.name = func(o *Value) string {
		if o == v {
			return ""
		}
		return name(o)
	}
	w.value(v, lowest)
	w.name = name
}

// Expressions that String writes out have about as many bytes at most; parts
// beyond it get names. That also bounds how deep they nest.
const (
	maxInline   = 1000
	maxRepeated = 60 // of an expression that is used more than once
)

// A naming chooses which values of a pipeline are written as statements.
//
// Values without a name of their own are written where they are used, as far
// as that keeps the order of values: loading creates an expression's operands
// when it reads them, so a value may only stand inside of its first user if
// everything between the two does.
type naming struct {
	names   []string // by value, "" for those written where they are used
	taken   map[string]bool
	fresh   int
	pending []*Value // written where they are used, by no statement so far
	waits   []bool   // whether a value is pending
	within  []*Value // by value that is no longer: the one within which it is written first
	behind  []bool   // whether another one is made before it there
	length  []int    // of the text that stands for a value
}

func nameValues(p *Pipeline) *naming {
	n := &naming{
		names:  make([]string, len(p.Values)),
		taken:  map[string]bool{},
		length: make([]int, len(p.Values)),
		waits:  make([]bool, len(p.Values)),
		within: make([]*Value, len(p.Values)),
		behind: make([]bool, len(p.Values)),
	}
	uses := make([]int, len(p.Values))
	for _, v := range p.Values {
		n.taken[v.Name] = true
		for _, o := range v.Operands() {
			uses[o.ID]++
		}
	}
	for _, r := range p.Results {
		uses[r.Value.ID]++
	}
	own := map[string]bool{}
	for _, v := range p.Values {
		n.use(v.Operands(), v)
		n.measure(v)
		switch {
		case v.isLiteral():
		case v.Op == OpParam, v.Name != "" && !own[v.Name]:
			own[v.Name] = true
			n.give(v, v.Name)
		case n.length[v.ID] > maxInline || uses[v.ID] > 1 && n.length[v.ID] > maxRepeated:
			n.give(v, "")
		default:
			n.pending = append(n.pending, v)
			n.waits[v.ID] = true
		}
	}
	results := make([]*Value, len(p.Results))
	for i, r := range p.Results {
		results[i] = r.Value
	}
	n.use(results, nil)
	return n
}

// use takes the operands of a value, which are read in this order, from the
// pending values. They must be the last of them, and what is written once more must not
// be within an operand that is still to come, and behind another value there.
func (n *naming) use(operands []*Value, by *Value) {
	var first []*Value
	early := false
	for _, o := range operands {
		if n.waits[o.ID] {
			n.waits[o.ID] = false
			n.within[o.ID], n.behind[o.ID] = by, len(first) > 0
			first = append(first, o)
			continue
		}
		behind := false
		for o != nil && n.names[o.ID] == "" && !n.waits[o.ID] {
			behind = behind || n.behind[o.ID]
			o = n.within[o.ID]
		}
		early = early || behind && o != nil && n.waits[o.ID] && slices.Contains(operands, o)
	}
	rest := len(n.pending) - len(first)
	if early || !slices.Equal(n.pending[rest:], first) {
		n.flush()
		return
	}
	n.pending = n.pending[:rest]
}

// flush makes statements of all pending values.
func (n *naming) flush() {
	pending := n.pending
	n.pending = nil
	for _, v := range pending {
		n.waits[v.ID] = false
		n.give(v, "")
	}
}

// give makes v a statement; "" stands for a name that is free.
func (n *naming) give(v *Value, name string) {
	n.flush() // what was made before v must be written before it
	for name == "" || v.Name != name && n.taken[name] {
		n.fresh++
		name = fmt.Sprintf("v%d", n.fresh)
	}
	n.names[v.ID] = name
	n.length[v.ID] = len(name)
}

// measure estimates the text of v written out.
func (n *naming) measure(v *Value) {
	length := 12
	for _, o := range v.Operands() {
		length += 2 + n.length[o.ID]
	}
	n.length[v.ID] = min(length, 2*maxInline)
}

// label is the label that the result v has without one.
func (n *naming) label(v *Value) string {
	for n.names[v.ID] == "" && (v.Op == OpCompact || v.Op == OpGather) {
		v = v.Args[0]
	}
	return n.names[v.ID]
}
