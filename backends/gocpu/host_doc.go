package gocpu

import (
	"fmt"
	"go/build/constraint"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// doc returns the doc comment of the function: that of the pipeline, and the text
// of the pipeline.
func (h *host) doc() *jen.Statement {
	p := h.program.Pipeline
	text := strings.TrimSpace(p.Doc)
	if first, rest, _ := strings.Cut(text, " "); first == p.Name {
		text = h.entry.Func + " " + rest
	} else if text != "" {
		text = h.entry.Func + ": " + text
	} else {
		text = fmt.Sprintf("%s runs the pipeline %s.", h.entry.Func, p.Name)
	}
	code := comment(text)
	code.Comment("//").Line()
	described := false
	for i, v := range p.Params {
		doc := v.Doc
		if !v.Hidden { // that of a constant quotes it, spaces included
			doc = strings.Join(strings.Fields(doc), " ")
		}
		if doc = joined(doc, unitOf(v.Type.Kind)); doc != "" {
			described = true
			code.Comment(fmt.Sprintf("//   - %s: %s", h.paramNames[i], doc)).Line()
		}
	}
	if described { // otherwise gofmt takes what follows for a part of the last item
		code.Comment("//").Line().Comment("// As a pipeline:").Line().Comment("//").Line()
	}
	for _, line := range strings.Split(strings.TrimSpace(withoutDoc(p.String())), "\n") {
		code.Comment("//\t" + line).Line()
	}
	return code
}

// comment returns text as a comment of whole lines.
func comment(text string) *jen.Statement {
	code := &jen.Statement{}
	for _, line := range strings.Split(text, "\n") {
		code.Comment(commentLine(line)).Line()
	}
	return code
}

// commentLine returns a line of a user's text as a comment. It breaks up the old
// form of a build constraint, which gofmt would move to the head of the file.
func commentLine(line string) string {
	line = strings.TrimRight("// "+line, " ")
	if constraint.IsPlusBuild(line) {
		line = strings.Replace(line, "+build", "+ build", 1)
	}
	return line
}

// withoutDoc returns a pipeline's text without the comment above it.
func withoutDoc(text string) string {
	for strings.HasPrefix(text, "//") {
		_, text, _ = strings.Cut(text, "\n")
	}
	return text
}

// intoDoc returns the doc comment of the function that takes a destination.
func (h *host) intoDoc() *jen.Statement {
	columns := slices.ContainsFunc(h.plan.Ports, func(p plan.Port) bool { return p.Direction == plan.Out && p.Buffer != "" })
	lines := []string{fmt.Sprintf("%s is %s with the results in dst.", h.entry.Into, h.entry.Func)}
	if columns {
		lines = []string{
			fmt.Sprintf("%s is %s with the results in dst. It reuses the memory of dst's columns", h.entry.Into, h.entry.Func),
			"if it is large enough; the arguments must not share that memory. Concurrent calls",
			"need a dst each. After an error dst has its old columns, with unspecified values.",
		}
	}
	if h.temporaries {
		lines = append(lines, "It allocates intermediate columns unless WithScratch provides their memory.")
	}
	return comment(strings.Join(lines, "\n"))
}

// resultType declares the type of the results.
func (h *host) resultType(name string) jen.Code {
	doc := fmt.Sprintf("%s holds the results of %s.", name, h.entry.Func)
	return h.structOf(name, doc, func(p plan.Port) jen.Code {
		if p.Buffer == "" {
			return goTypeOf(p.Kind)
		}
		return jen.Index().Add(goTypeOf(p.Kind))
	}, func(plan.Port) string { return "" })
}

// structOf declares a type with a field for each result, of a type and with a remark.
func (h *host) structOf(name, doc string, typeOf func(plan.Port) jen.Code, remark func(plan.Port) string) jen.Code {
	var fields []jen.Code
	columns := 0
	results := h.program.Pipeline.Results
	for _, port := range h.plan.Ports {
		if port.Direction != plan.Out {
			continue
		}
		if doc := results[0].Doc; doc != "" {
			for _, line := range strings.Split(doc, "\n") {
				fields = append(fields, jen.Comment(commentLine(line)))
			}
		}
		field := jen.Id(h.fields[port.Name]).Add(typeOf(port))
		note := remark(port)
		if port.Domain != "" {
			columns++
			note = joined(note, "one per "+rowOf(results[0].Value.Type.Domain))
		}
		if note = joined(note, unitOf(results[0].Value.Type.Kind)); note != "" {
			field.Comment(note)
		}
		fields = append(fields, field)
		results = results[1:]
	}
	if columns > 1 {
		doc += " Columns whose comments name the same rows have the same length."
	}
	return comment(doc).
		Type().Id(name).Struct(fields...)
}

// unitOf says what the integers count that stand for decimals; "" of other kinds.
func unitOf(k ir.Kind) string {
	if !k.IsDecimal() {
		return ""
	}
	return fmt.Sprintf("a %v in units of %s", k, ir.AppendDecimal(nil, 1, k.Scale()))
}

// joined puts two notes behind each other, of which either may be "".
func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// rowOf describes a row of a domain.
func rowOf(d *ir.Domain) string {
	switch d.Kind {
	case ir.DomainMask:
		return "row of " + d.Parent.Name + " where " + d.Name
	case ir.DomainRuns, ir.DomainStarts:
		return "group of " + d.Name
	case ir.DomainBins:
		return "bin of " + d.Name
	}
	return "row of " + d.Name
}
