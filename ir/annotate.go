package ir

import "go/token"

// Annotated is the syntax tree of a source file with what is known of it, for programs
// that help to write it. It is also there for text with errors.
type Annotated struct {
	File      *File
	Pipelines []*Pipeline   // none if there are errors
	Errors    ErrorList     // as Load returns them
	Types     map[Expr]Type // of each expression that is a value, as far as it has no errors
}

// Annotate parses and checks a source file, and goes on where [Load] gives up.
func Annotate(name string, source []byte) *Annotated {
	a := &Annotated{Types: map[Expr]Type{}}
	a.File, a.Errors = Parse(name, source)
	pipelines, errs := resolve(a.File, a.Types)
	if len(a.Errors) == 0 { // else the others follow from what could not be read
		a.Pipelines, a.Errors = pipelines, errs
	}
	return a
}

// Token is a token of source text, or a comment.
type Token struct {
	Pos  Pos
	Kind token.Token // that of Go; words are token.IDENT, whatever they mean
	Text string      // as written
}

// Tokens returns the tokens of f and its comments, in order. Text that is no token
// is token.ILLEGAL.
func (f *File) Tokens() []Token {
	lex := newLexer(f, func(Pos, string, string, ...any) {})
	var tokens []Token
	for {
		t := lex.next()
		if t.tok == token.EOF {
			return tokens
		}
		tokens = append(tokens, Token{Pos: t.pos, Kind: t.tok, Text: t.text})
	}
}

// Offset returns the offset of p in f.Source: its end if p is behind it.
func (f *File) Offset(p Pos) int {
	if !p.IsValid() {
		return 0
	}
	if p.Line > len(f.lines) {
		return len(f.Source)
	}
	return min(f.lines[p.Line-1]+max(p.Column-1, 0), len(f.Source))
}

// DocOf returns the comments on the lines directly above a statement of p, without marks.
func (f *File) DocOf(p *PipelineDecl, s *Stmt) string {
	before := p.Pos
	for _, other := range p.Stmts {
		if other == s {
			break
		}
		before = other.Pos
	}
	return f.above(before, s.Pos)
}
