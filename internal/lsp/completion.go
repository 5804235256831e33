package lsp

import (
	"bytes"
	"go/token"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/ir"
)

var words = ir.Words()

// completion lists what can stand at the cursor. The editor filters it by the word
// so far.
func (a *analysis) completion(offset int) []completionItem {
	s, ok := a.site(offset)
	list := []completionItem{}
	switch {
	case !ok:
	case s.pipeline == nil:
		list = plain(list, itemKeyword, "pipeline")
	case s.last(0).Kind == token.PERIOD:
		list = plain(list, itemField, words.Fields...)
	case !s.body:
		list = s.inParameters(list)
	case s.begins():
		list = plain(list, itemKeyword, "return")
	case !endsOperand(s.last(0)):
		list = s.inExpression(list)
	}
	return list
}

// A site is where something can be written.
type site struct {
	*analysis
	before   []ir.Token       // the tokens before, without comments and the word being written
	start    int              // offset of that word
	pipeline *ir.PipelineDecl // that the site is in, or nil
	body     bool             // whether it is behind the pipeline's brace
	open     []int            // open brackets, as numbers in before
}

// site looks at what stands before an offset. In comments, strings and numbers there is
// no site.
func (a *analysis) site(offset int) (*site, bool) {
	s := &site{analysis: a, start: offset}
	for i, t := range a.tokens {
		if a.starts[i] >= offset {
			break
		}
		switch grows := offset < a.end(i) || offset == a.end(i) && extends(t); {
		case grows && t.Kind != token.IDENT:
			return nil, false
		case grows:
			s.start = a.starts[i]
		case t.Kind != token.COMMENT:
			s.before = append(s.before, t)
		}
	}
	for i, t := range s.before {
		s.pass(i, t)
	}
	return s, true
}

// extends reports whether text directly behind t would belong to it.
func extends(t ir.Token) bool {
	switch t.Kind {
	case token.IDENT, token.INT, token.FLOAT:
		return true
	case token.COMMENT:
		return strings.HasPrefix(t.Text, "//") || !strings.HasSuffix(t.Text, "*/")
	case token.STRING:
		return len(t.Text) < 2 || !strings.HasSuffix(t.Text, `"`)
	}
	return false
}

// pass notes what token i opens or closes.
func (s *site) pass(i int, t ir.Token) {
	switch t.Kind {
	case token.LPAREN, token.LBRACK:
		s.open = append(s.open, i)
	case token.RPAREN, token.RBRACK:
		s.open = s.open[:max(len(s.open)-1, 0)]
	case token.LBRACE:
		s.body, s.open = true, nil
	case token.RBRACE:
		s.pipeline, s.body, s.open = nil, false, nil
	case token.IDENT:
		if p := s.pipelines[t.Pos]; p != nil {
			s.pipeline, s.body, s.open = p, false, nil
		}
	}
}

// last returns the token before the site, or one of those before it.
func (s *site) last(back int) ir.Token {
	if i := len(s.before) - 1 - back; i >= 0 {
		return s.before[i]
	}
	return ir.Token{}
}

// begins reports whether a statement begins here.
func (s *site) begins() bool {
	last := s.last(0)
	if last.Kind == token.LBRACE {
		return true
	}
	end := min(s.token(last.Pos).to, s.start) // a token with a byte that is no text may reach further
	between := s.doc.text[end:s.start]
	return len(s.open) == 0 && endsOperand(last) && bytes.ContainsRune(between, '\n')
}

// endsOperand reports whether a value may end with t.
func endsOperand(t ir.Token) bool {
	switch t.Kind {
	case token.IDENT:
		return t.Text != "return" && t.Text != "unordered" && t.Text != "reproducible"
	case token.INT, token.FLOAT, token.STRING, token.RPAREN, token.RBRACK:
		return true
	}
	return false
}

// inParameters adds what can stand among parameters.
func (s *site) inParameters(list []completionItem) []completionItem {
	last, before := s.last(0), s.last(1)
	switch {
	case last.Kind == token.LBRACK:
		var domains []string
		for _, p := range s.pipeline.Params {
			if p.Domain != "" && !slices.Contains(domains, p.Domain) {
				domains = append(domains, p.Domain)
			}
		}
		return plain(list, itemTypeParameter, domains...)
	case last.Kind == token.COLON, last.Kind == token.RBRACK:
		return plain(list, itemTypeParameter, words.Types...)
	case last.Text == "present":
		return s.names(list)
	case last.Kind == token.ASSIGN, last.Text == "missing":
		return plain(list, itemConstant, words.Constants...)
	case last.Kind == token.IDENT && before.Kind == token.RBRACK,
		last.Kind == token.RPAREN && s.last(4).Kind == token.RBRACK: // decimal(2)
		return plain(list, itemKeyword, "like", "missing", "present")
	case last.Kind == token.STRING && before.Text == "like":
		return plain(list, itemKeyword, "missing")
	}
	return list
}

// inExpression adds what a value can begin with, and the named operands of a call.
func (s *site) inExpression(list []completionItem) []completionItem {
	call, given := s.call()
	if call.Operation && s.last(0).Kind == token.LPAREN {
		return plain(list, itemEnumMember, words.Operations...)
	}
	if kind := s.last(0).Kind; kind == token.COMMA || kind == token.LPAREN {
		for _, name := range call.Named {
			if !slices.Contains(given, name) {
				list = append(list, completionItem{Label: name + ":", Kind: itemField, Detail: call.Help.Signature, InsertText: name + ": "})
			}
		}
	}
	switch s.last(0).Text {
	case "return":
		list = plain(list, itemKeyword, "unordered", "reproducible")
	case "unordered":
		list = plain(list, itemKeyword, "reproducible")
	}
	list = s.names(list)
	for _, f := range ir.Functions() {
		list = append(list, completionItem{
			Label: f.Name, Kind: itemFunction, Detail: f.Help.Signature,
			Documentation: markdown(paragraphs(f.Help.Doc, "Result: "+f.Help.Result, code(f.Help.Example))),
		})
	}
	return plain(list, itemConstant, words.Constants...)
}

// call returns the function whose operands the site is among, and the operands with a
// name that it has so far.
func (s *site) call() (f ir.Function, given []string) {
	if len(s.open) == 0 {
		return f, nil
	}
	from := s.open[len(s.open)-1]
	if s.before[from].Kind != token.LPAREN || from == 0 {
		return f, nil
	}
	depth := 0
	for i, t := range s.before[from+1:] {
		switch t.Kind {
		case token.LPAREN, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACK:
			depth--
		case token.COLON:
			if depth == 0 {
				given = append(given, s.before[from+i].Text)
			}
		}
	}
	return functions[s.before[from-1].Text], given
}

// names adds the parameters and the statements that end above the site.
func (s *site) names(list []completionItem) []completionItem {
	for _, p := range s.pipeline.Params {
		if s.ofParam(p).to < s.start {
			list = append(list, completionItem{Label: p.Name, Kind: itemVariable, Detail: s.typeOf(p)})
		}
	}
	for _, stmt := range s.pipeline.Stmts {
		if s.ofStmt(stmt).to < s.start {
			list = append(list, completionItem{Label: stmt.Name, Kind: itemVariable, Detail: s.statementType(stmt)})
		}
	}
	return list
}

// plain adds words that need no explanation.
func plain(list []completionItem, kind int, labels ...string) []completionItem {
	for _, label := range labels {
		list = append(list, completionItem{Label: label, Kind: kind})
	}
	return list
}
