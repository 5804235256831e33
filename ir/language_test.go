package ir

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// language returns the language reference.
func language(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var fence = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")

// fences returns the blocks of the language reference in a notation, by the
// line they begin on.
func fences(t testing.TB, notation string) map[int]string {
	t.Helper()
	text := language(t)
	found := map[int]string{}
	for _, at := range fence.FindAllStringSubmatchIndex(text, -1) {
		if text[at[2]:at[3]] == notation {
			found[strings.Count(text[:at[4]], "\n")+1] = text[at[4]:at[5]]
		}
	}
	if len(found) == 0 {
		t.Fatalf("docs/language.md has no %s", notation)
	}
	return found
}

// fencedPipelines returns the pipelines of the language reference.
func fencedPipelines(t testing.TB) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	for line, text := range fences(t, "kgen") {
		found[fmt.Sprintf("docs/language.md:%d", line)] = []byte(text)
	}
	return found
}

func TestLanguagePipelines(t *testing.T) {
	for name, text := range fencedPipelines(t) {
		file, errs := Parse(name, text)
		if err := errs.Err(); err != nil {
			t.Error(err)
			continue
		}
		if _, errs := Load(name, text); len(errs) > 0 {
			t.Error(errs.Err())
		}
		if got := Format(file); string(got) != string(text) {
			t.Errorf("%s: is not in canonical form, which is\n%s", name, got)
		}
	}
}

// The error that the reference shows is the one that users see.
func TestLanguageErrorText(t *testing.T) {
	const source = "// Grades.\n\npipeline g(x: [n]i32) {\n\tm = x > 3\n\treturn a: sum(m)\n}\n"
	_, errs := Load("grades.kg", []byte(source))
	for _, want := range fences(t, "text") {
		if got := errs.Error() + "\n"; got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	}
}

// The reference describes every function.
func TestLanguageHasAllFunctions(t *testing.T) {
	text := language(t)
	for name := range functionsByName {
		if !strings.Contains(text, "`"+name+"(") {
			t.Errorf("docs/language.md does not describe %s", name)
		}
	}
}
