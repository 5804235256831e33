package ir

import (
	"maps"
	"slices"
	"testing"

	"golang.org/x/exp/ebnf"
)

// tokensOf adds the tokens that a grammar writes out in capitalised productions,
// words apart from symbols.
func tokensOf(x ebnf.Expression, words, symbols map[string]bool) {
	switch x := x.(type) {
	case ebnf.Alternative:
		for _, part := range x {
			tokensOf(part, words, symbols)
		}
	case ebnf.Sequence:
		for _, part := range x {
			tokensOf(part, words, symbols)
		}
	case *ebnf.Group:
		tokensOf(x.Body, words, symbols)
	case *ebnf.Option:
		tokensOf(x.Body, words, symbols)
	case *ebnf.Repetition:
		tokensOf(x.Body, words, symbols)
	case *ebnf.Token:
		if 'a' <= x.String[0] && x.String[0] <= 'z' {
			words[x.String] = true
		} else {
			symbols[x.String] = true
		}
	}
}

// The vocabulary is that of the grammar.
func TestVocabulary(t *testing.T) {
	words, symbols := map[string]bool{}, map[string]bool{}
	for name, production := range grammar(t) {
		if 'A' <= name[0] && name[0] <= 'Z' {
			tokensOf(production.Expr, words, symbols)
		}
	}
	v := Words()
	if got := slices.Sorted(slices.Values(slices.Concat(v.Reserved, v.Modifiers))); !slices.Equal(got, slices.Sorted(maps.Keys(words))) {
		t.Errorf("the words are %q, in the grammar %q", got, slices.Sorted(maps.Keys(words)))
	}
	for _, punctuation := range []string{"(", ")", "[", "]", "{", "}", ",", ":", ".", "="} {
		delete(symbols, punctuation)
	}
	if !slices.Equal(v.Symbols, slices.Sorted(maps.Keys(symbols))) {
		t.Errorf("the symbols are %q, in the grammar %q", v.Symbols, slices.Sorted(maps.Keys(symbols)))
	}
	for _, constant := range v.Constants {
		if !reservedWords[constant] {
			t.Errorf("%s is a name", constant)
		}
	}
}

func TestFunctionsHaveHelp(t *testing.T) {
	list := Functions()
	for i, f := range list {
		if f.Help.Doc == "" {
			t.Errorf("no help for %s", f.Name)
		}
		if slices.ContainsFunc(list[:i], func(g Function) bool { return g.Name == f.Name }) {
			t.Errorf("%s is there twice", f.Name)
		}
	}
	i := slices.IndexFunc(list, func(f Function) bool { return f.Name == "scan" })
	if !list[i].Operation || !slices.Equal(list[i].Named, []string{"by"}) {
		t.Errorf("scan is %+v", list[i])
	}
}
