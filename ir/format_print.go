package ir

import (
	"bytes"
	"go/token"
	"strings"
)

// printer writes settled tokens.
type printer struct {
	out      bytes.Buffer
	indent   int  // of the current line
	body     bool // in the body of a pipeline
	brackets []bracket
}

// bracket is one that is open.
type bracket struct {
	indent int  // of the line it was opened on
	broken bool // a line break follows it: its elements are lines
	list   bool // its elements are separated by commas
}

// print writes token i and what stands before it.
func (p *printer) print(tokens []formatToken, i int) {
	t := tokens[i]
	if t.gap == breakable && isCloser(t.tok) && t.broken() && p.top().list && !isOpener(tokens[i-1].tok) {
		p.out.WriteByte(',')
	}
	if t.gap == breakable && t.broken() && isOpener(tokens[i-1].tok) {
		p.top().broken = true
	}
	p.printGap(tokens, i)
	if t.tok == token.EOF {
		return
	}
	p.out.WriteString(t.text)
	switch {
	case isOpener(t.tok):
		list := t.tok == token.LPAREN && endsOperand(tokens, i-1)
		p.brackets = append(p.brackets, bracket{indent: p.indent, list: list})
	case isCloser(t.tok):
		p.brackets = p.brackets[:len(p.brackets)-1]
	case t.tok == token.LBRACE:
		p.body = true
	case t.tok == token.RBRACE:
		p.body = false
	case t.tok == token.COMMA && len(p.brackets) > 0:
		p.top().list = true
	}
}

func (p *printer) top() *bracket { return &p.brackets[len(p.brackets)-1] }

// printGap writes the comments and the white space before token i.
func (p *printer) printGap(tokens []formatToken, i int) {
	t := tokens[i]
	indent := p.gapIndent(tokens, i)
	broken := p.out.Len() == 0
	mustBreak := false // a comment has to be followed by a line break
	newline := func(indent, lines int) {
		first := !broken
		broken, mustBreak = true, false
		if p.out.Len() == 0 {
			return
		}
		blank := lines > 1 && !(first && i > 0 && (isOpener(tokens[i-1].tok) || tokens[i-1].tok == token.LBRACE))
		if blank || first && t.gap == topLevel {
			p.out.WriteByte('\n')
		}
		p.out.WriteByte('\n')
		p.out.WriteString(strings.Repeat("\t", indent))
		p.indent = indent
	}
	for j, c := range t.comments {
		behindLine := j > 0 && strings.HasPrefix(t.comments[j-1].text, "//")
		switch {
		case behindLine || c.lines > 0 && t.gap != tight:
			newline(indent, c.lines)
		case p.out.Len() > 0 && (c.breaks() || j > 0 || !isOpener(tokens[i-1].tok)):
			p.out.WriteByte(' ')
		}
		p.out.WriteString(c.text)
		mustBreak = c.breaks()
	}
	lines := t.lines
	if isCloser(t.tok) || t.tok == token.RBRACE {
		indent, lines = p.closerIndent(t), min(lines, 1)
	}
	switch {
	case t.tok == token.EOF:
	case mustBreak, lines > 0 && t.gap != tight, t.gap >= statement && (!broken || t.tok == token.RBRACE):
		newline(indent, lines)
	case len(t.comments) > 0:
		if t.tok != token.COMMA && !isCloser(t.tok) {
			p.out.WriteByte(' ')
		}
	case i > 0 && wantsSpace(tokens, i):
		p.out.WriteByte(' ')
	}
}

// gapIndent returns the indentation of lines that begin before token i.
func (p *printer) gapIndent(tokens []formatToken, i int) int {
	t := tokens[i]
	switch t.gap {
	case topLevel:
		return 0
	case statement:
		return 1
	}
	for j := len(p.brackets) - 1; j >= 0; j-- {
		if b := p.brackets[j]; b.broken {
			before := tokens[i-1].tok
			element := j == len(p.brackets)-1 && (isOpener(before) || before == token.COMMA || isCloser(t.tok))
			if element {
				return b.indent + 1
			}
			return b.indent + 2
		}
	}
	if p.body {
		return 2
	}
	return 1
}

// closerIndent returns the indentation of a line that begins with t, a
// closing bracket or brace.
func (p *printer) closerIndent(t formatToken) int {
	if t.tok == token.RBRACE {
		return 0
	}
	return p.top().indent
}

// wantsSpace reports whether a space stands between tokens i-1 and i.
func wantsSpace(tokens []formatToken, i int) bool {
	before, t := tokens[i-1], tokens[i]
	switch {
	case t.tok == token.PERIOD:
		return before.tok == token.INT || before.tok == token.FLOAT // 1 .left, whatever it means
	case t.tok == token.COMMA, t.tok == token.COLON, isCloser(t.tok):
		return false
	case isOpener(before.tok), before.tok == token.PERIOD, isUnary(tokens, i-1):
		return false
	case isOpener(t.tok):
		return !endsOperand(tokens, i-1)
	case before.tok == token.RBRACK && t.tok == token.IDENT: // [n]i32
		return false
	}
	return true
}
