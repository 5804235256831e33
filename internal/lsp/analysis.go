package lsp

import (
	"go/token"
	"sort"

	"github.com/kgen-go/kgen/ir"
)

// An analysis is what is known of a document's text. All that the server tells of a
// document comes from here.
type analysis struct {
	*ir.Annotated
	doc       *document
	tokens    []ir.Token // comments among them
	starts    []int      // offset of each token
	pipelines map[ir.Pos]*ir.PipelineDecl
	nodes     map[ir.Pos]node
}

// functions are the functions of the language by name.
var functions = func() map[string]ir.Function {
	named := map[string]ir.Function{}
	for _, f := range ir.Functions() {
		named[f.Name] = f
	}
	return named
}()

// A node is what begins, or is named, at a token.
type node struct {
	pipeline *ir.PipelineDecl
	role     role
	name     string
	x        ir.Expr // of roleOperator, all that it computes
}

type role uint8

const (
	rolePipeline role = iota // the name of a pipeline
	roleParam                // the name of a parameter, where it is declared
	roleStmt                 // the name of a statement, where it is defined
	roleDomain               // the name of a domain of parameters
	roleName                 // a use of a parameter or statement
	roleOperator             // an operator, its name or symbol
	roleLabel                // the label of an operand; the name is that of the function
)

func analyze(d *document) *analysis {
	a := &analysis{Annotated: ir.Annotate(d.uri, d.text), doc: d, pipelines: map[ir.Pos]*ir.PipelineDecl{}, nodes: map[ir.Pos]node{}}
	a.tokens = a.File.Tokens()
	for _, t := range a.tokens {
		a.starts = append(a.starts, a.place(t.Pos))
	}
	for _, p := range a.File.Pipelines {
		a.index(p)
	}
	return a
}

// index notes the nodes of a pipeline.
func (a *analysis) index(p *ir.PipelineDecl) {
	note := func(at ir.Pos, n node) {
		n.pipeline = p
		a.nodes[at] = n
	}
	a.pipelines[p.Pos] = p
	note(p.NamePos, node{role: rolePipeline, name: p.Name})
	operations := map[ir.Expr]bool{} // that look like names
	expr := func(x ir.Expr) {
		visit(x, func(x ir.Expr) {
			switch x := x.(type) {
			case *ir.Name:
				if operations[x] {
					return
				}
				note(x.Pos, node{role: roleName, name: x.Name})
			case *ir.Unary:
				note(x.Pos, node{role: roleOperator, name: x.Op, x: x})
			case *ir.Binary:
				note(x.OpPos, node{role: roleOperator, name: x.Op, x: x})
			case *ir.Subscript:
				note(x.Lbrack, node{role: roleOperator, name: a.subscript(x), x: x})
			case *ir.Field:
				note(x.NamePos, node{role: roleOperator, name: "join", x: x})
			case *ir.Call:
				note(x.Pos, node{role: roleOperator, name: x.Name, x: x})
				if functions[x.Name].Operation && len(x.Args) > 0 {
					operations[x.Args[0].X] = true
				}
				for _, arg := range x.Args {
					if arg.Label != "" {
						note(arg.LabelPos, node{role: roleLabel, name: x.Name})
					}
				}
			}
		})
	}
	for _, param := range p.Params {
		note(param.Pos, node{role: roleParam, name: param.Name})
		if param.Domain != "" {
			note(param.DomPos, node{role: roleDomain, name: param.Domain})
		}
		if param.Present != "" {
			note(param.PresentPos, node{role: roleName, name: param.Present})
		}
		expr(param.Default)
		expr(param.Missing)
	}
	for _, s := range p.Stmts {
		note(s.Pos, node{role: roleStmt, name: s.Name})
		expr(s.X)
	}
	if p.Return != nil {
		for _, r := range p.Return.Results {
			expr(r.X)
		}
	}
}

// subscript returns which operator x[i] is, by the name of its help.
func (a *analysis) subscript(x *ir.Subscript) string {
	if t, ok := a.Types[x.Index]; ok && t.Kind == ir.Bool {
		return "x[mask]"
	}
	return "x[i]"
}

// visit calls f for x and all that it is made of.
func visit(x ir.Expr, f func(ir.Expr)) {
	if x == nil {
		return
	}
	f(x)
	switch x := x.(type) {
	case *ir.Unary:
		visit(x.X, f)
	case *ir.Binary:
		visit(x.X, f)
		visit(x.Y, f)
	case *ir.Call:
		for _, arg := range x.Args {
			visit(arg.X, f)
		}
	case *ir.Subscript:
		visit(x.X, f)
		visit(x.Index, f)
	case *ir.Field:
		visit(x.X, f)
	case *ir.Paren:
		visit(x.X, f)
	case *ir.Tuple:
		for _, part := range x.Parts {
			visit(part, f)
		}
	}
}

// end returns the offset behind token i.
func (a *analysis) end(i int) int { return a.starts[i] + len(a.tokens[i].Text) }

// under returns the nodes that a cursor may mean: that of the token behind it, and that of
// the word before it.
func (a *analysis) under(offset int) []located {
	var found []located
	add := func(i int) {
		if n, ok := a.nodes[a.tokens[i].Pos]; ok {
			found = append(found, located{n, span{a.starts[i], a.end(i)}})
		}
	}
	i := sort.SearchInts(a.starts, offset+1) - 1
	if i < 0 {
		return nil
	}
	if offset < a.end(i) {
		add(i)
		i--
	}
	if i >= 0 && offset == a.end(i) && a.tokens[i].Kind == token.IDENT {
		add(i)
	}
	return found
}

// located is a node with its token.
type located struct {
	node
	span
}

// definition returns where the pipeline of n defines what n names.
func (a *analysis) definition(n node) (ir.Pos, bool) {
	switch n.role {
	case rolePipeline:
		return n.pipeline.NamePos, true
	case roleDomain:
		for _, p := range n.pipeline.Params {
			if p.Domain == n.name {
				return p.DomPos, true
			}
		}
	case roleName, roleParam, roleStmt:
		if p, s := lookup(n.pipeline, n.name); p != nil {
			return p.Pos, true
		} else if s != nil {
			return s.Pos, true
		}
	}
	return ir.Pos{}, false
}

// lookup returns the parameter or the statement that a name stands for, or neither.
func lookup(pipeline *ir.PipelineDecl, name string) (*ir.ParamDecl, *ir.Stmt) {
	for _, p := range pipeline.Params {
		if p.Name == name {
			return p, nil
		}
	}
	for _, s := range pipeline.Stmts {
		if s.Name == name {
			return nil, s
		}
	}
	return nil, nil
}
