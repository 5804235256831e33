package ir

import (
	"fmt"
	"go/scanner"
	"go/token"
	"strings"
)

// maxName is how many bytes a name, and maxNumber a number, may have.
const (
	maxName   = 255
	maxNumber = 255
)

// lexeme is a token of source text. Words are token.IDENT, whatever they mean
// in Go. Comments are lexemes too.
type lexeme struct {
	tok  token.Token
	text string // as written
	pos  Pos
	// first says that no other token stands before this one on its line, and
	// before a comment nothing at all. Statements end at such tokens.
	first bool
}

func (t lexeme) isWord(word string) bool { return t.tok == token.IDENT && t.text == word }

// reservedWords cannot be names; every other word can.
var reservedWords = map[string]bool{"pipeline": true, "return": true, "true": true, "false": true}

// isName reports whether t can name a column, a statement or a label.
func (t lexeme) isName() bool { return t.tok == token.IDENT && !reservedWords[t.text] }

// String describes t in messages.
func (t lexeme) String() string {
	switch t.tok {
	case token.EOF:
		return "end of file"
	case token.STRING:
		return "string " + clip(t.text)
	case token.INT, token.FLOAT:
		return "number " + clip(t.text)
	}
	return clip(t.text)
}

// clip shortens source text for a message.
func clip(text string) string {
	const most = 40
	if len(text) > most {
		return printable([]byte(text[:most])) + "..."
	}
	return printable([]byte(text))
}

// lexer reads lexemes with Go's scanner, whose tokens the language shares. It
// differs where Go's statements would show through: keywords are words, `<-`,
// `--` and `++` are two operators each, and line ends come from positions
// instead of automatic semicolons, which Go does not insert after a column
// named type.
type lexer struct {
	source  []byte
	file    *token.File
	name    string
	scanner scanner.Scanner
	errorf  func(pos Pos, hint, format string, args ...any)

	lines   []int    // offset of the first byte of each line
	line    int      // the line, in lines, of the last position asked for
	queue   []lexeme // the rest of a split operator
	endLine int      // line on which the last token, not comment, ended
	lastEnd int      // line on which the last token or comment ended
	// cut says that an unterminated comment swallowed the end of the file.
	cut bool
}

func newLexer(file *File, errorf func(pos Pos, hint, format string, args ...any)) *lexer {
	l := &lexer{source: file.Source, name: file.Name, lines: file.lines, errorf: errorf}
	l.file = token.NewFileSet().AddFile(file.Name, -1, len(file.Source))
	l.scanner.Init(l.file, file.Source, l.scanError, scanner.ScanComments)
	return l
}

// position returns the place of an offset, which is as a rule behind the last
// one. (The positions of package token obey //line comments, which mean
// nothing here.)
func (l *lexer) position(offset int) Pos {
	for l.line > 0 && offset < l.lines[l.line] {
		l.line--
	}
	for l.line+1 < len(l.lines) && offset >= l.lines[l.line+1] {
		l.line++
	}
	return Pos{File: l.name, Line: l.line + 1, Column: offset - l.lines[l.line] + 1}
}

// next returns the next token or comment; after the last one, token.EOF.
func (l *lexer) next() lexeme {
	if len(l.queue) > 0 {
		t := l.queue[0]
		l.queue = l.queue[1:]
		return t
	}
	for {
		at, tok, text := l.scanner.Scan()
		if tok == token.SEMICOLON && text == "\n" {
			continue
		}
		t := lexeme{tok: tok, text: text, pos: l.position(l.file.Offset(at))}
		t.first = t.pos.Line > l.endLine
		before := l.lastEnd
		l.lastEnd = t.pos.Line + strings.Count(text, "\n")
		switch {
		case tok == token.COMMENT:
			t.first = t.pos.Line > before
			return t
		case tok == token.EOF:
			return t
		case tok.IsKeyword():
			t.tok = token.IDENT
		case text == "":
			t.text = tok.String()
		}
		l.endLine = l.lastEnd
		switch t.tok {
		case token.ARROW:
			return l.split(t, token.LSS, token.SUB)
		case token.DEC:
			return l.split(t, token.SUB, token.SUB)
		case token.INC:
			return l.split(t, token.ADD, token.ADD)
		case token.IDENT:
			l.checkName(t)
		case token.INT, token.FLOAT:
			l.checkNumber(t)
		case token.IMAG:
			l.errorf(t.pos, "numbers are integers and floats", "%s is an imaginary number", clip(text))
		case token.CHAR:
			l.errorf(t.pos, doubleQuotes, "a single quote begins nothing")
		case token.STRING:
			if text[0] == '`' {
				l.errorf(t.pos, doubleQuotes, "a back quote begins nothing")
			}
		}
		return t
	}
}

// split returns the first of two operators that Go reads as one.
func (l *lexer) split(t lexeme, a, b token.Token) lexeme {
	second := t
	second.tok, second.text, second.first = b, b.String(), false
	second.pos.Column++
	l.queue = append(l.queue, second)
	t.tok, t.text = a, a.String()
	return t
}

func (l *lexer) checkName(t lexeme) {
	if msg, hint := nameProblem(t.text); msg != "" && !reservedWords[t.text] {
		l.errorf(t.pos, hint, "%s", msg)
	}
}

// nameProblem says what keeps word from being a name, or "".
func nameProblem(word string) (msg, hint string) {
	if len(word) > maxName {
		return fmt.Sprintf("name %s has %d bytes", clip(word), len(word)), fmt.Sprintf("a name has at most %d bytes", maxName)
	}
	const rule = "names are made of the letters a to z and A to Z, digits and _; a column of another name can be bound to one"
	if reservedWords[word] {
		return word + " cannot be a name", "pipeline, return, true and false are words of the language; any other word can be a name"
	}
	if word == "_" {
		return "_ alone is no name", rule
	}
	for i, r := range word {
		switch {
		case r == '_', 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', i > 0 && '0' <= r && r <= '9':
		default:
			return fmt.Sprintf("name %s has the character %q", clip(word), r), rule
		}
	}
	if word == "" {
		return "a name is empty", rule
	}
	return "", ""
}

func (l *lexer) checkNumber(t lexeme) {
	if len(t.text) > maxNumber {
		l.errorf(t.pos, fmt.Sprintf("a number has at most %d bytes", maxNumber), "number %s has %d bytes", clip(t.text), len(t.text))
		return
	}
	if t.tok == token.INT && len(t.text) > 1 && t.text[0] == '0' && strings.Trim(t.text, "0123456789_") == "" {
		l.errorf(t.pos, "write "+strings.TrimLeft(t.text[:len(t.text)-1], "0_")+t.text[len(t.text)-1:]+", or 0o... for an octal number",
			"number %s begins with 0", t.text)
	}
}

// scanError takes a message of Go's scanner, whose wording fits Go programs.
func (l *lexer) scanError(p token.Position, msg string) {
	pos := l.position(p.Offset)
	hint := ""
	switch {
	case strings.HasPrefix(msg, "invalid line number"), strings.HasPrefix(msg, "invalid column number"), strings.HasPrefix(msg, "invalid filename"):
		return // a //line comment
	case strings.HasPrefix(msg, "comment not terminated"):
		l.cut = true
		msg, hint = "comment is not closed", "end it with */"
	case strings.HasPrefix(msg, "string literal not terminated"):
		msg, hint = "string is not closed", `end it with " on the same line`
	case strings.HasPrefix(msg, "raw string literal not terminated"):
		l.cut = true
		msg, hint = "a back quote begins nothing", doubleQuotes
	case strings.Contains(msg, "rune literal"):
		msg, hint = "a single quote begins nothing", doubleQuotes
	case strings.HasPrefix(msg, "illegal UTF-8"), strings.HasPrefix(msg, "illegal byte order mark"), strings.HasPrefix(msg, "illegal character NUL"):
		hint = "source text is UTF-8"
	case strings.HasPrefix(msg, "illegal character"):
		hint = characterHint(l.source[p.Offset])
	}
	l.errorf(pos, hint, "%s", msg)
}

const doubleQuotes = `strings stand in double quotes: "BUILDING"`

// characterHint says what users of other languages may have meant by c.
func characterHint(c byte) string {
	switch c {
	case '#':
		return "comments begin with //"
	case '?':
		return "write select(condition, then, otherwise)"
	case '\\':
		return "a line continues after an operator, a comma or an open bracket"
	}
	return ""
}
