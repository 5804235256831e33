package fuse

import (
	"fmt"
	"strings"
)

// explainedValue is a column or scalar as the graph draws it.
type explainedValue struct {
	name     string
	bytes    int64
	stored   bool
	writer   string // "" for a parameter
	readers  []string
	isResult bool
}

// drawnValues lists the values that a stage, the caller or both touch.
func (p *Program) drawnValues() []explainedValue {
	g := p.Fusion.Graph
	n := &neighbours{Program: p, where: p.where()}
	var list []explainedValue
	for _, w := range g.Values {
		v := explainedValue{name: w.Name, bytes: g.bytesOf(w), isResult: g.outputs[w] && w.Kind == Result}
		if w.Writer != nil {
			v.writer = w.Writer.Name
		}
		for _, s := range g.readers(w) {
			v.readers = append(v.readers, s.Name)
			v.stored = v.stored || w.Writer != nil && !n.merged(w.Writer, s)
		}
		v.stored = v.stored || w.Writer == nil || v.isResult
		list = append(list, v)
	}
	return list
}

// Dot returns the stages as a graph for graphviz: a cluster for each kernel,
// an edge for each value that one stage writes and another reads; bold where
// the value goes through memory.
func (e *Explanation) Dot() string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %q {\n", e.Pipeline)
	fmt.Fprintf(&b, "\tlabel=%q;\n\tnode [shape=box];\n", fmt.Sprintf("%s %s: %s, %s", e.Pipeline, e.levelName(), plural(e.Total.Kernels, "kernel"), size(e.Total.Bytes)))
	for i, k := range e.Kernels {
		fmt.Fprintf(&b, "\tsubgraph cluster%d {\n\t\tlabel=%q;\n", i+1, fmt.Sprintf("%s over %s\n%s, %s", k.Name, k.Domain, size(k.Bytes), plural(len(k.Cuts), "cut")))
		for _, s := range e.Stages {
			if s.Kernel == k.Name {
				fmt.Fprintf(&b, "\t\t%q [label=%q];\n", s.Name, s.Name+"\n"+s.line())
			}
		}
		b.WriteString("\t}\n")
	}
	for _, s := range e.Stages {
		if s.Kernel == "" {
			fmt.Fprintf(&b, "\t%q [label=%q, style=dashed];\n", s.Name, s.Name+"\nnot run")
		}
	}
	for _, v := range e.values {
		from := v.writer
		if from == "" {
			from = "in:" + v.name
			fmt.Fprintf(&b, "\t%q [label=%q, shape=ellipse];\n", from, v.name)
		}
		label := v.name
		if v.bytes > 0 {
			label += "\n" + size(v.bytes)
		}
		style := ""
		if v.stored {
			style = ", style=bold"
		}
		for _, to := range v.readers {
			fmt.Fprintf(&b, "\t%q -> %q [label=%q%s];\n", from, to, label, style)
		}
		if v.isResult && v.writer != "" {
			to := "out:" + v.name
			fmt.Fprintf(&b, "\t%q [label=%q, shape=ellipse];\n", to, v.name)
			fmt.Fprintf(&b, "\t%q -> %q [label=%q, style=bold];\n", from, to, label)
		}
	}
	b.WriteString("}\n")
	return b.String()
}
