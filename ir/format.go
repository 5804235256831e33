package ir

import (
	"bytes"
	"go/token"
	"slices"
	"strings"
)

// Format returns the source text of f in canonical format, which is similar to
// that of gofmt: tabs for indentation, spaces around binary operators, one
// statement per line, and at most one blank line in a row. It keeps all comments,
// and the line breaks after operators, commas and opening brackets. If f has
// syntax errors, Format returns its text unchanged.
func Format(f *File) []byte {
	if f.broken {
		return bytes.Clone(f.Source)
	}
	// Formatting works on tokens, not on the tree, so that it cannot lose any.
	// First every comment and line break moves to a place where the language
	// allows it. Then the tokens are printed, each with the white space that it
	// and the token before it need.
	tokens := settle(formatTokens(f))
	p := &printer{}
	for i := range tokens {
		p.print(tokens, i)
	}
	if p.out.Len() > 0 {
		p.out.WriteByte('\n')
	}
	return p.out.Bytes()
}

// formatToken is a token with what stands between it and the token before it.
type formatToken struct {
	lexeme
	lines    int // line ends directly before it
	comments []formatComment
	gap      gap
}

type formatComment struct {
	text  string
	lines int // line ends directly before it
}

// breaks reports whether nothing but a line break can follow c.
func (c formatComment) breaks() bool {
	return strings.HasPrefix(c.text, "//") || strings.Contains(c.text, "\n")
}

// gap says what may stand between a token and the one before it.
type gap uint8

const (
	tight     gap = iota // no line break
	breakable            // a line break, if the user wants one
	statement            // a line break
	topLevel             // a blank line
)

// formatTokens returns the tokens of f, the last of which is token.EOF.
func formatTokens(f *File) []formatToken {
	lex := newLexer(f, func(Pos, string, string, ...any) {})
	var tokens []formatToken
	var comments []formatComment
	line := 1
	for {
		t := lex.next()
		lines := t.pos.Line - line
		line = t.pos.Line + strings.Count(t.text, "\n")
		if t.tok == token.COMMENT {
			comments = append(comments, formatComment{strings.TrimRight(t.text, " \t"), lines})
			continue
		}
		tokens = append(tokens, formatToken{lexeme: t, lines: lines, comments: comments})
		if t.tok == token.EOF {
			return tokens
		}
		comments = nil
	}
}

// settle finds the gaps between tokens, and moves line breaks and comments
// out of those where they cannot stand.
func settle(tokens []formatToken) []formatToken {
	tokens = dropLastCommas(tokens)
	body, open := false, 0
	for i := range tokens {
		t := &tokens[i]
		t.gap = gapBefore(tokens, i, body, open)
		switch t.tok {
		case token.LPAREN, token.LBRACK:
			open++
		case token.RPAREN, token.RBRACK:
			open--
		case token.LBRACE:
			body = true
		case token.RBRACE:
			body = false
		}
		if t.gap == tight {
			next := &tokens[i+1]
			broken, moved := t.broken(), t.takeBreaking()
			if broken && len(moved) == 0 && (isBinary(tokens, i) || t.tok == token.COMMA) {
				next.breakBefore()
			}
			t.lines = 0
			next.comments = append(moved, next.comments...)
		}
	}
	return tokens
}

// dropLastCommas removes the commas before closing brackets: printing adds
// them where they belong.
func dropLastCommas(tokens []formatToken) []formatToken {
	kept := tokens[:0]
	for i, t := range tokens {
		if t.tok == token.COMMA && isCloser(tokens[i+1].tok) {
			next := &tokens[i+1]
			next.lines = max(next.lines, t.lines)
			next.comments = append(t.comments, next.comments...)
			continue
		}
		kept = append(kept, t)
	}
	return kept
}

// gapBefore says what may stand between tokens i-1 and i; body says whether
// they are in a pipeline's body, and open how many brackets are open.
func gapBefore(tokens []formatToken, i int, body bool, open int) gap {
	t := tokens[i]
	if t.tok == token.EOF || !body && open == 0 && t.isWord("pipeline") {
		return topLevel
	}
	before := tokens[i-1]
	switch {
	case before.tok == token.LBRACE, t.tok == token.RBRACE:
		return statement
	case body && open == 0 && t.first && endsOperand(tokens, i-1):
		return statement
	case isOpener(before.tok) && isCloser(t.tok) && !t.hasBreaking():
		return tight
	case isOpener(before.tok), isCloser(t.tok),
		before.tok == token.COMMA, before.tok == token.ASSIGN, isBinary(tokens, i-1),
		before.isWord("return"), isReturnWord(tokens, i-1),
		before.tok == token.COLON && t.hasBreaking():
		return breakable
	}
	return tight
}

// broken reports whether there is a line break between t and the token before.
func (t *formatToken) broken() bool {
	for _, c := range t.comments {
		if c.lines > 0 || c.breaks() {
			return true
		}
	}
	return t.lines > 0
}

func (t *formatToken) hasBreaking() bool {
	for _, c := range t.comments {
		if c.breaks() {
			return true
		}
	}
	return false
}

// breakBefore puts a line break between t and the token before, ahead of the
// comments there.
func (t *formatToken) breakBefore() {
	first := &t.lines
	if len(t.comments) > 0 {
		first = &t.comments[0].lines
	}
	*first = max(*first, 1)
}

// takeBreaking removes and returns the comments from the first one on that
// cannot be followed by t on its line.
func (t *formatToken) takeBreaking() []formatComment {
	for i, c := range t.comments {
		if c.breaks() {
			taken := t.comments[i:]
			t.comments = t.comments[:i:i]
			return taken
		}
	}
	return nil
}

func isOpener(tok token.Token) bool { return tok == token.LPAREN || tok == token.LBRACK }
func isCloser(tok token.Token) bool { return tok == token.RPAREN || tok == token.RBRACK }

// isReturnWord reports whether token i is a keyword after return.
func isReturnWord(tokens []formatToken, i int) bool {
	if i == 0 || !slices.ContainsFunc(returnWords, tokens[i].isWord) || !isKeywordBefore(tokens[i+1].lexeme) {
		return false
	}
	return tokens[i-1].isWord("return") || tokens[i].isWord("reproducible") && tokens[i-1].isWord("unordered") && isReturnWord(tokens, i-1)
}

// isMissing reports whether token i is the keyword after the type of a column.
func isMissing(tokens []formatToken, i int) bool {
	if i < 2 || !tokens[i].isWord("missing") {
		return false
	}
	if i > 4 && tokens[i-1].tok == token.STRING && tokens[i-2].isWord("like") {
		i -= 2
	}
	if i > 5 && tokens[i-1].tok == token.RPAREN && tokens[i-3].tok == token.LPAREN { // decimal(2)
		i -= 3
	}
	return tokens[i-1].tok == token.IDENT && tokens[i-2].tok == token.RBRACK
}

// endsOperand reports whether token i can end a value.
func endsOperand(tokens []formatToken, i int) bool {
	switch t := tokens[i]; t.tok {
	case token.IDENT:
		return !t.isWord("return") && !t.isWord("pipeline") && !isReturnWord(tokens, i) && !isMissing(tokens, i)
	case token.INT, token.FLOAT, token.STRING:
		return true
	default:
		return isCloser(t.tok)
	}
}

// isBinary reports whether token i is a binary operator.
func isBinary(tokens []formatToken, i int) bool {
	return precedence(tokens[i].tok) > 0 && endsOperand(tokens, i-1)
}

// isUnary reports whether token i is a unary operator.
func isUnary(tokens []formatToken, i int) bool {
	return tokens[i].tok == token.NOT || precedence(tokens[i].tok) > 0 && !endsOperand(tokens, i-1)
}
