package lsp

import (
	"go/token"
	"sort"

	"github.com/kgen-go/kgen/ir"
)

// A span is a part of the text, from one byte offset to another.
type span struct{ from, to int }

func (a *analysis) place(p ir.Pos) int { return a.doc.place(a.File, p) }

func (a *analysis) textRange(s span) textRange {
	return textRange{a.doc.position(s.from), a.doc.position(s.to)}
}

func (a *analysis) source(s span) string { return string(a.doc.text[s.from:s.to]) }

// token returns the token that begins at p, an empty span if none does.
func (a *analysis) token(p ir.Pos) span {
	at := a.place(p)
	if i := sort.SearchInts(a.starts, at); i < len(a.starts) && a.starts[i] == at {
		return span{at, a.end(i)}
	}
	return span{at, at}
}

// ofExpr returns all of an expression.
func (a *analysis) ofExpr(x ir.Expr) span {
	switch x := x.(type) {
	case *ir.Unary:
		return span{a.place(x.Pos), a.ofExpr(x.X).to}
	case *ir.Binary:
		return span{a.ofExpr(x.X).from, a.ofExpr(x.Y).to}
	case *ir.Call:
		return span{a.place(x.Pos), a.token(x.End).to}
	case *ir.Subscript:
		return span{a.ofExpr(x.X).from, a.closing(x.Lbrack)}
	case *ir.Field:
		return span{a.ofExpr(x.X).from, a.token(x.NamePos).to}
	case *ir.Paren:
		return span{a.place(x.Pos), a.closing(x.Pos)}
	case *ir.Tuple:
		return span{a.place(x.Pos), a.closing(x.Pos)}
	}
	return a.token(x.Position()) // a name or a literal
}

// closing returns the offset behind the bracket that closes the one at p.
func (a *analysis) closing(p ir.Pos) int {
	open := 0
	for i := sort.SearchInts(a.starts, a.place(p)); i < len(a.tokens); i++ {
		switch a.tokens[i].Kind {
		case token.LPAREN, token.LBRACK:
			open++
		case token.RPAREN, token.RBRACK:
			if open--; open == 0 {
				return a.end(i)
			}
		}
	}
	return len(a.doc.text)
}

// ofParam returns a parameter with its type and what follows that.
func (a *analysis) ofParam(p *ir.ParamDecl) span {
	s := span{a.place(p.Pos), a.token(p.TypePos).to}
	switch {
	case p.Default != nil:
		s.to = a.ofExpr(p.Default).to
	case p.Missing == nil && p.Like != nil:
		s.to = a.ofExpr(p.Like).to
	case p.Missing == nil && p.Present == "" && p.TypeEnd.IsValid():
		s.to = a.token(p.TypeEnd).to
	case p.Missing != nil:
		s.to = a.ofExpr(p.Missing).to
	case p.Present != "":
		s.to = a.token(p.PresentPos).to
	}
	return s
}

func (a *analysis) ofStmt(s *ir.Stmt) span {
	return span{a.place(s.Pos), a.ofExpr(s.X).to}
}

// ofPipeline returns a pipeline up to its closing brace, or to the next pipeline.
func (a *analysis) ofPipeline(p *ir.PipelineDecl) span {
	if p.End.IsValid() {
		return span{a.place(p.Pos), a.token(p.End).to}
	}
	s := span{a.place(p.Pos), len(a.doc.text)}
	for _, next := range a.File.Pipelines {
		if at := a.place(next.Pos); at > s.from {
			s.to = min(s.to, at)
		}
	}
	return s
}
