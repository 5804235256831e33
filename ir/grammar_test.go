package ir

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/exp/ebnf"
)

// grammar returns the grammar of the language reference.
func grammar(t *testing.T) ebnf.Grammar {
	t.Helper()
	blocks := fences(t, "ebnf")
	if len(blocks) != 1 {
		t.Fatalf("docs/language.md has %d grammars", len(blocks))
	}
	for _, text := range blocks {
		g, err := ebnf.Parse("docs/language.md", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := ebnf.Verify(g, "File"); err != nil {
			t.Fatal(err)
		}
		return g
	}
	return nil
}

// terminal is a token of a sentence: its text, and what the grammar calls it
// if that is a lexical production.
type terminal struct {
	text  string
	class string // name, number, string, line_end, or ""
}

func (t terminal) isWord() bool {
	return t.class == "name" || t.class == "" && 'a' <= t.text[0] && t.text[0] <= 'z'
}

// endsLine reports whether a line break behind t is a token.
func (t terminal) endsLine() bool {
	switch t.text {
	case "pipeline", "return":
		return false
	case ")", "]":
		return true
	}
	return t.isWord() || t.class == "number" || t.class == "string"
}

// sentences writes random sentences of a grammar.
type sentences struct {
	grammar ebnf.Grammar
	rand    *rand.Rand
	used    map[string]bool // productions
}

// trickyNames are names that mean something elsewhere.
var trickyNames = []string{"unordered", "reproducible", "type", "range", "func", "map", "return1", "by", "in", "to", "left", "count", "date", "i32", "e1", "x1F", "_a"}

// sentence appends a random sentence of x. Past the depth limit it takes the
// first of alternatives, which in this grammar end.
func (s *sentences) sentence(x ebnf.Expression, depth int) []terminal {
	const limit = 32
	deep := depth > limit
	switch x := x.(type) {
	case nil:
		return nil
	case ebnf.Alternative:
		if deep {
			return s.sentence(x[0], depth+1)
		}
		return s.sentence(x[s.rand.IntN(len(x))], depth+1)
	case ebnf.Sequence:
		var all []terminal
		for _, part := range x {
			all = append(all, s.sentence(part, depth+1)...)
		}
		return all
	case *ebnf.Group:
		return s.sentence(x.Body, depth+1)
	case *ebnf.Option:
		if deep || s.rand.IntN(2) == 0 {
			return nil
		}
		return s.sentence(x.Body, depth+1)
	case *ebnf.Repetition:
		var all []terminal
		for !deep && s.rand.IntN(5) < 2 {
			all = append(all, s.sentence(x.Body, depth+1)...)
		}
		return all
	case *ebnf.Token:
		return []terminal{{text: x.String}}
	case *ebnf.Name:
		s.used[x.String] = true
		if unicode.IsUpper(rune(x.String[0])) {
			return s.sentence(s.grammar[x.String].Expr, depth+1)
		}
		return []terminal{{s.lexeme(x.String), x.String}}
	}
	panic(fmt.Sprintf("no sentences of %T", x))
}

// lexeme returns a random text of a lexical production.
func (s *sentences) lexeme(production string) string {
	if production == "name" && s.rand.IntN(2) == 0 {
		return trickyNames[s.rand.IntN(len(trickyNames))]
	}
	for {
		text := s.text(s.grammar[production].Expr)
		if production != "name" || text != "_" && !reservedWords[text] {
			return text
		}
	}
}

func (s *sentences) text(x ebnf.Expression) string {
	switch x := x.(type) {
	case ebnf.Alternative:
		return s.text(x[s.rand.IntN(len(x))])
	case ebnf.Sequence:
		text := ""
		for _, part := range x {
			text += s.text(part)
		}
		return text
	case *ebnf.Group:
		return s.text(x.Body)
	case *ebnf.Option:
		if s.rand.IntN(2) == 0 {
			return ""
		}
		return s.text(x.Body)
	case *ebnf.Repetition:
		text := ""
		for s.rand.IntN(3) > 0 && len(text) < 50 {
			text += s.text(x.Body)
		}
		return text
	case *ebnf.Token:
		return x.String
	case *ebnf.Range:
		first, _ := utf8.DecodeRuneInString(x.Begin.String)
		last, _ := utf8.DecodeRuneInString(x.End.String)
		return string(first + s.rand.Int32N(last-first+1))
	case *ebnf.Name:
		s.used[x.String] = true
		return s.text(s.grammar[x.String].Expr)
	}
	panic(fmt.Sprintf("no text of %T", x))
}

// source writes a sentence with random white space where it needs some or may
// have some.
func (s *sentences) source(sentence []terminal) string {
	var b strings.Builder
	open := 0
	for i, t := range sentence {
		if i > 0 && t.class != "line_end" {
			before := sentence[i-1]
			free := !before.endsLine() && before.class != "line_end" || open > 0 // for line breaks
			switch apart := s.mustStandApart(before, t); {
			case free && s.rand.IntN(8) == 0:
				b.WriteString([]string{"\n", "\r\n\t", " // comment\n", " /* a\nb */"}[s.rand.IntN(4)])
			case apart || s.rand.IntN(2) == 0:
				b.WriteString([]string{" ", "\t", " /* comment */ "}[s.rand.IntN(3)])
			}
		}
		switch t.text {
		case "(", "[":
			open++
		case ")", "]":
			open--
		}
		if t.class == "line_end" && s.rand.IntN(2) == 0 {
			b.WriteString(" // comment\n")
		}
		b.WriteString(t.text)
	}
	return b.String()
}

// mustStandApart reports whether two tokens without space might read as
// others. Operators need none: what Go's scanner makes of them must not matter.
func (s *sentences) mustStandApart(a, b terminal) bool {
	wordy := func(t terminal) bool { return t.isWord() || t.class == "number" }
	return wordy(a) && (wordy(b) || b.text == ".") || a.text == "." || a.text == "/" || a.text == "&" || b.text == "."
}

// spaced writes a sentence with a space between any two tokens.
func spaced(sentence []terminal) string {
	texts := make([]string, len(sentence))
	for i, t := range sentence {
		texts[i] = t.text
	}
	return strings.Join(texts, " ")
}

// recogniser decides whether a sentence is one of the grammar, by trying all
// ways to read it.
type recogniser struct {
	grammar  ebnf.Grammar
	sentence []terminal
	known    map[string][]int // the ends of a production from a position
}

func recognises(g ebnf.Grammar, sentence []terminal) bool {
	r := &recogniser{g, withoutFreeBreaks(sentence), map[string][]int{}}
	return slices.Contains(r.ends(&ebnf.Name{String: "File"}, 0), len(r.sentence))
}

// withoutFreeBreaks removes the line breaks that are no tokens.
func withoutFreeBreaks(sentence []terminal) []terminal {
	var kept []terminal
	open := 0
	for _, t := range sentence {
		switch {
		case t.text == "(", t.text == "[":
			open++
		case t.text == ")", t.text == "]":
			open--
		case t.class == "line_end" && (open > 0 || len(kept) == 0 || !kept[len(kept)-1].endsLine()):
			continue
		}
		kept = append(kept, t)
	}
	return kept
}

// ends returns where texts of x that begin at a position can end.
func (r *recogniser) ends(x ebnf.Expression, at int) []int {
	switch x := x.(type) {
	case nil:
		return []int{at}
	case ebnf.Alternative:
		var all []int
		for _, part := range x {
			all = append(all, r.ends(part, at)...)
		}
		return distinct(all)
	case ebnf.Sequence:
		all := []int{at}
		for _, part := range x {
			var next []int
			for _, at := range all {
				next = append(next, r.ends(part, at)...)
			}
			all = distinct(next)
		}
		return all
	case *ebnf.Group:
		return r.ends(x.Body, at)
	case *ebnf.Option:
		return distinct(append(r.ends(x.Body, at), at))
	case *ebnf.Repetition:
		all := []int{at}
		for i := 0; i < len(all); i++ {
			for _, end := range r.ends(x.Body, all[i]) {
				if !slices.Contains(all, end) {
					all = append(all, end)
				}
			}
		}
		return all
	case *ebnf.Token:
		if at < len(r.sentence) && r.sentence[at].text == x.String && r.sentence[at].class != "string" {
			return []int{at + 1}
		}
		return nil
	case *ebnf.Name:
		if unicode.IsUpper(rune(x.String[0])) {
			key := fmt.Sprint(x.String, at)
			ends, ok := r.known[key]
			if !ok {
				ends = r.ends(r.grammar[x.String].Expr, at)
				r.known[key] = ends
			}
			return ends
		}
		if at < len(r.sentence) && r.isLexeme(r.sentence[at], x.String) {
			return []int{at + 1}
		}
		return nil
	}
	panic(fmt.Sprintf("no texts of %T", x))
}

func (r *recogniser) isLexeme(t terminal, production string) bool {
	if production == "name" {
		return t.isWord() && !reservedWords[t.text]
	}
	return t.class == production
}

func distinct(numbers []int) []int {
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// The parser accepts what the grammar generates, formatting keeps its tree,
// and the sentences use every production.
func TestGrammarSentencesParse(t *testing.T) {
	g := grammar(t)
	s := &sentences{g, rand.New(rand.NewPCG(1, 1)), map[string]bool{"File": true}}
	for range 1000 {
		sentence := s.sentence(&ebnf.Name{String: "File"}, 0)
		if !recognises(g, sentence) {
			t.Fatalf("the recogniser refuses a sentence of the grammar:\n%s", spaced(sentence))
		}
		checkFormat(t, []byte(s.source(sentence)))
		if t.Failed() {
			return
		}
	}
	for production := range g {
		if !s.used[production] {
			t.Errorf("no sentence uses the production %s", production)
		}
	}
}

// Where a token of a sentence is dropped, doubled, moved or replaced, or a line
// is broken, grammar and parser agree on whether it is still one.
func TestGrammarAgreesWithParser(t *testing.T) {
	g := grammar(t)
	s := &sentences{g, rand.New(rand.NewPCG(2, 2)), map[string]bool{}}
	legal, illegal := 0, 0
	for legal+illegal < 10000 {
		sentence := s.sentence(g["Pipeline"].Expr, 20)
		for range 5 {
			changed := s.perturb(sentence)
			want := recognises(g, changed)
			source := spaced(changed)
			if _, errs := Parse("perturbed.kg", []byte(source)); want != (len(errs) == 0) {
				t.Fatalf("the grammar says %v, the parser %v:\n%s", want, errs.Err(), source)
			}
			if want {
				legal++
			} else {
				illegal++
			}
		}
	}
	if legal < 500 || illegal < 500 {
		t.Errorf("%d legal and %d illegal sentences: one kind is missing", legal, illegal)
	}
}

// perturb changes a token of a sentence, or two.
func (s *sentences) perturb(sentence []terminal) []terminal {
	changed := slices.Clone(sentence)
	for range 1 + s.rand.IntN(2) {
		if len(changed) == 0 {
			return changed
		}
		i, j := s.rand.IntN(len(changed)), s.rand.IntN(len(changed))
		switch s.rand.IntN(5) {
		case 0:
			changed = slices.Delete(changed, i, i+1)
		case 1:
			changed = slices.Insert(changed, i, changed[i])
		case 2:
			changed[i], changed[j] = changed[j], changed[i]
		case 3:
			changed[i] = changed[j]
		case 4:
			changed = slices.Insert(changed, i, terminal{"\n", "line_end"})
		}
	}
	return changed
}
