package lsp

import (
	"fmt"
	"strings"

	"github.com/kgen-go/kgen/ir"
)

// hover explains what is at the cursor, nil if there is nothing to say.
func (a *analysis) hover(offset int) *hover {
	for _, n := range a.under(offset) {
		if text := a.explain(n.node); text != "" {
			return &hover{Contents: markdown(text), Range: a.textRange(n.span)}
		}
	}
	return nil
}

// explain returns Markdown about a node, "" if there is nothing to say.
func (a *analysis) explain(n node) string {
	switch n.role {
	case rolePipeline:
		return paragraphs(code(a.header(n.pipeline)), n.pipeline.Doc)
	case roleDomain:
		return a.explainDomain(n)
	case roleName, roleParam, roleStmt:
		param, stmt := lookup(n.pipeline, n.name)
		if param != nil {
			return paragraphs(code(a.source(a.ofParam(param))), a.docOf(n.pipeline, param))
		}
		if stmt != nil {
			return a.explainStatement(n.pipeline, stmt)
		}
	case roleLabel:
		if help, ok := ir.OperatorNamed(n.name); ok {
			return paragraphs(code(help.Signature), help.Doc)
		}
	case roleOperator:
		return a.explainOperator(n)
	}
	return ""
}

// header is a pipeline up to its statements, on one line.
func (a *analysis) header(p *ir.PipelineDecl) string {
	params := make([]string, len(p.Params))
	for i, param := range p.Params {
		params[i] = a.source(a.ofParam(param))
	}
	return fmt.Sprintf("pipeline %s(%s)", p.Name, strings.Join(params, ", "))
}

// docOf returns the comment beside a parameter; it is known if the file has no errors.
func (a *analysis) docOf(decl *ir.PipelineDecl, param *ir.ParamDecl) string {
	for _, p := range a.Pipelines {
		if p.Pos != decl.Pos {
			continue
		}
		for _, v := range p.Params {
			if v.Pos == param.Pos {
				return v.Doc
			}
		}
	}
	return ""
}

func (a *analysis) explainDomain(n node) string {
	var columns []string
	for _, p := range n.pipeline.Params {
		if p.Domain == n.name {
			columns = append(columns, p.Name)
		}
	}
	return paragraphs(code("["+n.name+"]"), "The rows of "+strings.Join(columns, ", ")+".")
}

// explainStatement tells the type of a statement, its domains, and what it is.
func (a *analysis) explainStatement(p *ir.PipelineDecl, s *ir.Stmt) string {
	text := code(a.source(a.ofStmt(s)))
	doc := a.File.DocOf(p, s)
	if t, known := a.Types[s.X]; known {
		return paragraphs(text, fmt.Sprintf("`%s: %v`", s.Name, t), doc, domains(t))
	}
	return paragraphs(text, doc)
}

// domains says where the domains of a type come from.
func domains(t ir.Type) string {
	var list []string
	for _, d := range []*ir.Domain{t.Domain, t.Target} {
		if d != nil && d.Kind != ir.DomainParam {
			list = append(list, "`"+d.Origin()+"`")
		}
	}
	return strings.Join(list, ", ")
}

// explainOperator gives the help of an operator, and the type of its result here.
func (a *analysis) explainOperator(n node) string {
	help, ok := ir.OperatorNamed(n.name)
	if !ok {
		return ""
	}
	result := "Result: " + help.Result
	if t, known := a.Types[n.x]; known {
		result = fmt.Sprintf("Here: `%v`. %s", t, result)
	}
	return paragraphs(code(help.Signature), help.Doc, result, code(help.Example))
}

func code(text string) string { return "```kgen\n" + text + "\n```" }

// paragraphs joins the parts that are not empty.
func paragraphs(parts ...string) string {
	var all []string
	for _, p := range parts {
		if p != "" {
			all = append(all, p)
		}
	}
	return strings.Join(all, "\n\n")
}
