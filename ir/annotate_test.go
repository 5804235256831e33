package ir

import (
	"slices"
	"strings"
	"testing"
)

// typeOf returns the type of a statement as it is written, "" if it is unknown.
func typeOf(a *Annotated, statement string) string {
	for _, p := range a.File.Pipelines {
		for _, s := range p.Stmts {
			if t, ok := a.Types[s.X]; ok && s.Name == statement {
				return t.String()
			}
		}
	}
	return ""
}

func TestAnnotate(t *testing.T) {
	for _, c := range []struct{ name, source, want, wrong string }{
		{"right", "pipeline p(x: [n]i32) {\n\tg = runs(x)\n\ts = sum(x, by: g)\n\tone = 1\n\treturn s: s * one\n}", "g [n]→g s [g]i64 one i64", ""},
		{"wrong", "pipeline p(x: [n]i32) {\n\ta = x + y\n\tb = x > 2\n\treturn a, b\n}", "a  b [n]bool", "unknown name y"},
		{"unfinished statement", "pipeline p(x: [n]i32) {\n\ta = x > 2\n\tb = x[\n\treturn a\n}", "a [n]bool b ", "expected"},
		{"no return", "pipeline p(x: [n]i32) {\n\ta = x > 2\n", "a [n]bool", "p is not closed"},
		{"no results", "pipeline p(x: [n]i32) {\n\ta = x > 2\n\treturn\n}", "a [n]bool", "return has no results"},
		{"no parameters", "pipeline p(x: [n] {\n\ta = x > 2\n\tb = 1.5\n\treturn a\n}", "a  b f64", "expected a type"},
		{"nothing", "", "", ""},
	} {
		a := Annotate(c.name, []byte(c.source))
		fields := strings.Split(c.want, " ")
		for i := 0; i+1 < len(fields); i += 2 {
			if got := typeOf(a, fields[i]); got != fields[i+1] {
				t.Errorf("%s: the type of %s is %q, not %q", c.name, fields[i], got, fields[i+1])
			}
		}
		if text := a.Errors.Error(); (text == "") != (c.wrong == "") || !strings.Contains(text, c.wrong) {
			t.Errorf("%s: errors %q", c.name, text)
		}
		pipelines, errs := Load(c.name, []byte(c.source))
		if errs.Error() != a.Errors.Error() || len(pipelines) != len(a.Pipelines) {
			t.Errorf("%s: Load finds %v, Annotate %v", c.name, errs, a.Errors)
		}
	}
}

// Annotate takes any text that a user may be in the middle of.
func TestAnnotateUnfinished(t *testing.T) {
	for _, h := range Operators() {
		for i := range h.Example {
			for _, text := range []string{h.Example[:i], h.Example[:i] + "(" + h.Example[i:], h.Example[:i] + h.Example[i+1:]} {
				a := Annotate("x", []byte(text))
				if _, errs := Load("x", []byte(text)); errs.Error() != a.Errors.Error() {
					t.Fatalf("%q: Load finds %v, Annotate %v", text, errs, a.Errors)
				}
			}
		}
	}
}

func TestTokens(t *testing.T) {
	const source = "// é 🙂\npipeline p(x: [n]i32) { return a: x<-1 /* c */ }\n"
	file, _ := Parse("x", []byte(source))
	var texts []string
	for _, token := range file.Tokens() {
		texts = append(texts, token.Text)
		if at := file.Offset(token.Pos); !strings.HasPrefix(source[at:], token.Text) {
			t.Errorf("%s is not at %d", token.Text, at)
		}
	}
	want := []string{"// é 🙂", "pipeline", "p", "(", "x", ":", "[", "n", "]", "i32", ")", "{", "return", "a", ":", "x", "<", "-", "1", "/* c */", "}"}
	if !slices.Equal(texts, want) {
		t.Errorf("%q", texts)
	}
	for pos, want := range map[Pos]int{{}: 0, {Line: 2, Column: 1}: 11, {Line: 9, Column: 1}: len(source), {Line: 3, Column: 9}: len(source)} {
		if got := file.Offset(pos); got != want {
			t.Errorf("%v is at %d, not %d", pos, got, want)
		}
	}
}
