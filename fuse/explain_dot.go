package fuse

import (
	"fmt"
	"strings"
)

// ExplainedValue is a column or scalar that stages write and read.
type ExplainedValue struct {
	Name    string   `json:"name"`
	Bytes   int64    `json:"bytes"`            // of all its rows; 0 for a scalar
	Stored  bool     `json:"stored"`           // it goes through memory
	Writer  string   `json:"writer,omitempty"` // the stage; "" for a parameter
	Readers []string `json:"readers,omitempty"`
	Result  bool     `json:"result,omitempty"` // the pipeline returns it
}

// drawnValues lists the values that a stage, the caller or both touch.
func (p *Program) drawnValues() []ExplainedValue {
	g := p.Fusion.Graph
	n := &neighbours{Program: p, where: p.where()}
	var list []ExplainedValue
	for _, w := range g.Values {
		v := ExplainedValue{Name: w.Name, Bytes: g.bytesOf(w), Result: g.outputs[w] && w.Kind == Result}
		if w.Writer != nil {
			v.Writer = w.Writer.Name
		}
		for _, s := range g.readers(w) {
			v.Readers = append(v.Readers, s.Name)
			v.Stored = v.Stored || w.Writer != nil && !n.merged(w.Writer, s)
		}
		v.Stored = v.Stored || w.Writer == nil || v.Result
		list = append(list, v)
	}
	return list
}

// words returns what the user wrote for the label of a node, a line each.
func (s *ExplainedStage) words() (text string) {
	for _, statement := range s.Statements {
		text += shortened(statement.Text) + "\n"
	}
	return text
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
				fmt.Fprintf(&b, "\t\t%q [label=%q];\n", s.Name, s.words()+s.Name+"\n"+s.line())
			}
		}
		b.WriteString("\t}\n")
	}
	for _, s := range e.Stages {
		if s.Kernel == "" {
			fmt.Fprintf(&b, "\t%q [label=%q, style=dashed];\n", s.Name, s.Name+"\nnot run")
		}
	}
	for _, v := range e.Values {
		from := v.Writer
		if from == "" {
			from = "in:" + v.Name
			fmt.Fprintf(&b, "\t%q [label=%q, shape=ellipse];\n", from, v.Name)
		}
		label := v.Name
		if v.Bytes > 0 {
			label += "\n" + size(v.Bytes)
		}
		style := ""
		if v.Stored {
			style = ", style=bold"
		}
		for _, to := range v.Readers {
			fmt.Fprintf(&b, "\t%q -> %q [label=%q%s];\n", from, to, label, style)
		}
		if v.Result && v.Writer != "" {
			to := "out:" + v.Name
			fmt.Fprintf(&b, "\t%q [label=%q, shape=ellipse];\n", to, v.Name)
			fmt.Fprintf(&b, "\t%q -> %q [label=%q, style=bold];\n", from, to, label)
		}
	}
	b.WriteString("}\n")
	return b.String()
}
