package ir

import (
	"bytes"
	"fmt"
	"go/token"
	"strings"
)

// Parse reads a source file. It checks only the grammar: names, types and operators
// are looked up later, by [Load]. The tree is never nil; after an error it lacks the
// parts that could not be read.
func Parse(name string, source []byte) (*File, ErrorList) {
	source = bytes.TrimPrefix(source, []byte("\uFEFF"))
	file := &File{Name: name, Source: source, lines: lineOffsets(source)}
	p := &parser{file: file}
	p.lex = newLexer(file, p.errorf)
	p.advance()
	p.advance()
	p.try(p.parseFile)
	file.broken = len(p.errors) > 0
	return file, p.errors.limited()
}

func lineOffsets(source []byte) []int {
	lines := append(make([]int, 0, bytes.Count(source, []byte("\n"))+1), 0)
	for at := 0; ; {
		end := bytes.IndexByte(source[at:], '\n')
		if end < 0 {
			return lines
		}
		at += end + 1
		lines = append(lines, at)
	}
}

// parser is a recursive-descent parser with one token of lookahead.
//
// After an error it gives up the statement, or parameter list, that the error
// is in: syntaxError panics with abandoned, which try recovers where parsing
// can go on.
type parser struct {
	file   *File
	lex    *lexer
	errors ErrorList

	prev, tok, next lexeme
	joined          bool     // tok continues the line before it
	open            []lexeme // brackets that are open: within them lines do not end
	depth           int      // of the expression being read
	height          int      // of the expression read last
	tuple           Pos      // where an open parenthesis may begin a tuple
	problems        int      // errors found, those not recorded included
	skipped         int      // tokens that no statement could be made of
	stopped         bool     // the rest of the file is ignored
}

// abandoned is what syntaxError panics with.
type abandoned struct{}

// The rest of a file is ignored after this many errors, reported or not, and
// after this many tokens skipped: then it is no source text at all.
const (
	maxProblems = 1000
	maxSkipped  = 1 << 17
)

// errorf records an error unless its line has one already, which would as a
// rule be a consequence of the first.
func (p *parser) errorf(pos Pos, hint, format string, args ...any) {
	p.problems++
	for _, e := range p.errors {
		if e.Pos.Line == pos.Line {
			return
		}
	}
	p.errors = append(p.errors, NewError(p.file, pos, fmt.Sprintf(format, args...), hint))
}

// syntaxError records an error at pos and gives up what is being read.
func (p *parser) syntaxError(pos Pos, hint, format string, args ...any) {
	if p.tok.tok != token.EOF || !p.lex.cut && !p.stopped {
		p.errorf(pos, hint, format, args...)
	}
	panic(abandoned{})
}

// try calls parse and reports whether it came through.
func (p *parser) try(parse func()) (ok bool) {
	open, depth := len(p.open), p.depth
	defer func() {
		switch r := recover(); r.(type) {
		case nil:
		case abandoned:
			p.open, p.depth = p.open[:min(open, len(p.open))], depth
		default:
			panic(r)
		}
	}()
	parse()
	return true
}

// advance moves to the next token, noting comments on the way.
func (p *parser) advance() {
	p.prev, p.tok, p.joined = p.tok, p.next, false
	if p.stopped || len(p.errors) > MaxErrors || p.problems > maxProblems || p.skipped > maxSkipped {
		p.ignoreRest()
		return
	}
	for {
		t := p.lex.next()
		if t.tok != token.COMMENT {
			p.next = t
			return
		}
		p.file.Comments = append(p.file.Comments, Comment{Pos: t.pos, Text: t.text, Own: t.first})
	}
}

// ignoreRest makes the file end behind p.tok, without complaint about what is
// missing.
func (p *parser) ignoreRest() {
	p.stopped = true
	p.next = lexeme{tok: token.EOF, pos: p.tok.pos}
}

// take returns the current token and moves on.
func (p *parser) take() lexeme {
	t := p.tok
	p.advance()
	return t
}

// lineEnds reports whether the statement being read ends before p.tok.
func (p *parser) lineEnds() bool {
	return p.tok.tok == token.EOF || p.tok.first && !p.joined && len(p.open) == 0
}

// at reports whether the next token is tok and on the line being read.
func (p *parser) at(tok token.Token) bool { return p.tok.tok == tok && !p.lineEnds() }

// nextIs reports whether the token behind p.tok is tok and on the same line.
func (p *parser) nextIs(tok token.Token) bool {
	return p.next.tok == tok && (!p.next.first || len(p.open) > 0)
}

// expect takes a token of the kind tok.
func (p *parser) expect(tok token.Token, where string) lexeme {
	if !p.at(tok) {
		p.unexpected(tok.String() + " " + where)
	}
	return p.take()
}

// expectName takes a name; what says of what.
func (p *parser) expectName(what string) lexeme {
	switch {
	case p.lineEnds() || p.tok.tok != token.IDENT:
		p.unexpected(what)
	case !p.tok.isName():
		msg, hint := nameProblem(p.tok.text)
		p.syntaxError(p.tok.pos, hint, "%s", msg)
	}
	return p.take()
}

// openBracket takes an opening bracket.
func (p *parser) openBracket(tok token.Token, where string) lexeme {
	t := p.expect(tok, where)
	p.open = append(p.open, t)
	return t
}

// closeBracket takes the bracket that closes the one opened last.
func (p *parser) closeBracket(tok token.Token) lexeme {
	if p.tok.tok != tok {
		p.unexpected(tok.String())
	}
	p.open = p.open[:len(p.open)-1] // first: the line may end after the bracket
	return p.take()
}

// unexpected reports that the next token is not the one wanted.
func (p *parser) unexpected(wanted string) {
	if p.lineEnds() && p.tok.tok != token.EOF {
		end := p.prev.pos
		end.Column += len(p.prev.text)
		p.syntaxError(end, "a line goes on after an operator or a comma, or inside of brackets", "expected %s, found the end of the line", wanted)
	}
	p.syntaxError(p.tok.pos, p.unexpectedHint(), "expected %s, found %v", wanted, p.tok)
}

// unexpectedHint guesses what the user meant with p.tok.
func (p *parser) unexpectedHint() string {
	switch t := p.tok; {
	case t.tok == token.ASSIGN && p.prev.first:
		return "a statement begins here, but the one above it goes on: it ends in an operator, a comma or an open bracket"
	case t.tok == token.ASSIGN:
		return "equality is written =="
	case t.tok == token.GTR && p.prev.tok == token.LSS:
		return "inequality is written !="
	case t.tok == token.MUL && p.prev.tok == token.MUL:
		return "there is no power operator; write x * x"
	case t.isWord("and"):
		return "write &&"
	case t.isWord("or"):
		return "write ||"
	case t.tok == token.TILDE:
		return "write ^x for the complement of x"
	case t.tok == token.SEMICOLON:
		return "write one statement a line"
	case t.tok == token.SUB && p.next.tok == token.GTR:
		return "results are named by return, and have the types of their values"
	case t.tok == token.COLON && len(p.open) > 0 && p.open[len(p.open)-1].tok == token.LBRACK:
		return "there are no slices; x[mask] keeps the rows where mask is true"
	case p.prev.isWord("not"):
		return "write !x"
	case len(p.open) > 0:
		bracket := p.open[len(p.open)-1]
		return fmt.Sprintf("the %s at %d:%d is open", bracket.text, bracket.pos.Line, bracket.pos.Column)
	}
	return ""
}

// skipStatement moves to the end of a statement that could not be read: a
// line end outside of brackets, the next line that looks like a statement, or
// the end of the pipeline. It began at start, and open brackets are open.
func (p *parser) skipStatement(start Pos, open int) {
	braces := 0
	for p.tok.tok != token.EOF {
		if p.tok.first && p.tok.pos != start && (open <= 0 && braces <= 0 || p.atStatement() || p.atPipeline()) {
			return
		}
		switch p.tok.tok {
		case token.LPAREN, token.LBRACK:
			open++
		case token.RPAREN, token.RBRACK:
			open--
		case token.LBRACE:
			braces++
		case token.RBRACE:
			if braces--; braces < 0 {
				return
			}
		}
		p.skip()
	}
}

// skip moves past a token while looking for a place to go on.
func (p *parser) skip() {
	p.skipped++
	p.advance()
}

func (p *parser) atPipeline() bool { return p.tok.isWord("pipeline") && !p.nextIs(token.ASSIGN) }

func (p *parser) atStatement() bool {
	return p.tok.isWord("return") || p.tok.isName() && p.next.tok == token.ASSIGN && !p.next.first
}

// parseFile = { pipeline }.
func (p *parser) parseFile() {
	for p.tok.tok != token.EOF {
		if !p.try(p.parsePipeline) {
			for p.tok.tok != token.EOF && !(p.tok.first && p.atPipeline()) {
				p.skip()
			}
		}
	}
}

// doc returns the comment that ends on the line above t, the current token,
// without its marks.
func (p *parser) doc(t lexeme) string {
	return p.file.above(p.prev.pos, t.pos)
}

// before reports whether p stands before q in the same file.
func (p Pos) before(q Pos) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Column < q.Column
}

// commentText returns a comment without its marks.
func commentText(text string) string {
	if line, ok := strings.CutPrefix(text, "//"); ok {
		return strings.TrimRight(strings.TrimPrefix(line, " "), " \t")
	}
	lines := strings.Split(strings.TrimSuffix(strings.TrimPrefix(text, "/*"), "*/"), "\n")
	for i, line := range lines {
		lines[i] = strings.Trim(strings.TrimPrefix(strings.TrimSpace(line), "* "), " \t")
		if lines[i] == "*" {
			lines[i] = ""
		}
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}
