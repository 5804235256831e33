package docs

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/ir"
)

const (
	extension = "../../editors/vscode"
	scope     = "source.kgen" // by which grammar and manifest know each other
)

// readJSON reads a file of the extension for VS Code.
func readJSON(t *testing.T, path string, v any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(extension, path))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// called returns the functions that are no casts, the names of their operands, and the functions that take an operation.
func called() (functions, operands, scans []string) {
	names := map[string]bool{}
	for _, f := range ir.Functions() {
		if !slices.Contains(ir.Words().Types, f.Name) {
			functions = append(functions, f.Name)
		}
		for _, name := range f.Named {
			names[name] = true
		}
		if f.Operation {
			scans = append(scans, f.Name)
		}
	}
	return functions, slices.Collect(maps.Keys(names)), scans
}

// same compares two lists without their order.
func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n%q, the language has\n%q", what, got, want)
	}
}

// The TextMate grammar has the words and symbols of the language, and no others.
func TestTextMateGrammar(t *testing.T) {
	type rule struct{ Match, Begin string }
	var grammar struct {
		ScopeName  string
		Repository map[string]rule
	}
	readJSON(t, "syntaxes/kgen.tmLanguage.json", &grammar)
	if grammar.ScopeName != scope {
		t.Errorf("the grammar is of %s", grammar.ScopeName)
	}
	list := regexp.MustCompile(`\(([a-z][a-z0-9]*(?:\|[a-z][a-z0-9]*)*)\)`)
	has := func(rules ...string) (found []string) {
		for _, name := range rules {
			r, ok := grammar.Repository[name]
			if !ok {
				t.Fatalf("the grammar has no rule %s", name)
			}
			for _, m := range list.FindAllStringSubmatch(r.Match+r.Begin, -1) {
				found = append(found, strings.Split(m[1], "|")...)
			}
		}
		return found
	}

	words := ir.Words()
	functions, operands, _ := called()
	for _, c := range []struct {
		rules []string
		want  []string
	}{
		{[]string{"pipeline", "return", "modifiers", "constants"}, slices.Concat(words.Reserved, words.Modifiers)},
		{[]string{"constants"}, words.Constants},
		{[]string{"types"}, words.Types},
		{[]string{"casts"}, words.Types},
		{[]string{"operations"}, words.Operations},
		{[]string{"fields"}, words.Fields},
		{[]string{"functions"}, functions},
		{[]string{"operands"}, operands},
	} {
		same(t, fmt.Sprintf("rules %q", c.rules), has(c.rules...), c.want)
	}

	pattern := grammar.Repository["symbols"].Match
	symbols, err := regexp.Compile("^(?:" + pattern + ")")
	if err != nil {
		t.Fatal(err)
	}
	for _, symbol := range words.Symbols {
		if got := symbols.FindString(symbol); got != symbol {
			t.Errorf("of the operator %s the grammar finds %q", symbol, got)
		}
	}
	if n := len(regexp.MustCompile(`[^\\]\|`).FindAllString(pattern, -1)) + 1; n != len(words.Symbols) {
		t.Errorf("the grammar has %d operators, the language %d", n, len(words.Symbols))
	}
}

// The manifest of the extension names files that are there, and the language's own.
func TestExtensionManifest(t *testing.T) {
	var manifest struct {
		Main        string
		Contributes struct {
			Languages []struct {
				ID            string
				Extensions    []string
				Configuration string
			}
			Grammars []struct{ Language, ScopeName, Path string }
		}
	}
	readJSON(t, "package.json", &manifest)
	if len(manifest.Contributes.Languages) != 1 || len(manifest.Contributes.Grammars) != 1 {
		t.Fatalf("%+v", manifest.Contributes)
	}
	language, grammar := manifest.Contributes.Languages[0], manifest.Contributes.Grammars[0]
	if language.ID != "kgen" || !slices.Equal(language.Extensions, []string{".kg"}) || grammar.Language != language.ID || grammar.ScopeName != scope {
		t.Errorf("%+v", manifest.Contributes)
	}
	if _, err := os.Stat(filepath.Join(extension, manifest.Main)); err != nil {
		t.Error(err)
	}
	for _, path := range []string{language.Configuration, grammar.Path} {
		var v map[string]any
		readJSON(t, path, &v)
	}
}
