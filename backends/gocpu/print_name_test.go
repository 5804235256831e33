package gocpu

import (
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"testing"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/templates"
)

func TestGoNames(t *testing.T) {
	for name, want := range map[string]string{
		"l_orderkey": "lOrderkey", "grade": "grade", "Total": "total", "_x_1": "x1", "a__b": "aB", "2nd": "v2nd",
		"größe": "größe", "": "value", "_": "value", "x.y": "xY",
	} {
		if got := goName(name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
	if got := exportedName("grade_counts"); got != "GradeCounts" {
		t.Error(got)
	}
}

func TestNamesKeepApart(t *testing.T) {
	n := NewNames()
	variable := func(name string) string { return n.Declare(&loop.Var{Name: name}) }
	check := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	n.Push()
	check(variable("x"), "x")
	check(variable("range"), "range2")
	check(variable("len"), "len2")
	check(variable("math"), "math2")
	check(variable("kgen_bit"), "vKgenBit")
	n.Push()
	check(variable("x"), "x2")
	check(n.FreshGlobal("x"), "x3")
	n.Pop()
	check(variable("x"), "x2") // the inner one is out of sight
	n.Pop()
	check(variable("x3"), "x32") // the package's function is seen everywhere
}

// TestImported compares the list of imported packages with what templates import.
func TestImported(t *testing.T) {
	version := regexp.MustCompile(`/v\d+$`)
	for _, text := range [][]byte{templates.GoSupport, templates.GoTrace, templates.GoProperty, templates.GoPartial, templates.GoShards, templates.GoDevice} {
		file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if name = path.Base(version.ReplaceAllString(name, "")); err != nil || !isImported(name) {
				t.Errorf("%s is not among the imported packages (%v)", name, err)
			}
		}
	}
}
