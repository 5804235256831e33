package plan

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// reference returns docs/plan.md.
func reference(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../docs/plan.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// structs gathers the struct types that a type leads to, Expr apart: it has a
// syntax of its own.
func structs(typ reflect.Type, into map[string]reflect.Type) {
	switch typ.Kind() {
	case reflect.Pointer, reflect.Slice:
		structs(typ.Elem(), into)
	case reflect.Struct:
		if into[typ.Name()] != nil || typ == reflect.TypeFor[Expr]() {
			return
		}
		into[typ.Name()] = typ
		for i := range typ.NumField() {
			structs(typ.Field(i).Type, into)
		}
	}
}

// The reference has a section for each type with exactly its fields, and says
// which of them are required.
func TestReferenceFields(t *testing.T) {
	types := map[string]reflect.Type{}
	structs(reflect.TypeFor[Plan](), types)
	structs(reflect.TypeFor[Machine](), types)
	row := regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (.*) \\|$")
	seen := 0
	for _, section := range strings.Split(reference(t), "\n### ")[1:] {
		name, body, _ := strings.Cut(section, "\n")
		body, _, _ = strings.Cut(body, "\n## ")
		body, _, _ = strings.Cut(body, "| role |")
		typ := types[name]
		if typ == nil {
			t.Errorf("docs/plan.md: there is no type %s", name)
			continue
		}
		seen++
		var want, got []string
		for i := range typ.NumField() {
			key, options, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			if options == "" && key != "number" {
				key += " required"
			}
			want = append(want, key)
		}
		for _, match := range row.FindAllStringSubmatch(body, -1) {
			key := match[1]
			if name != "Step" && (match[2] == "required" || strings.HasPrefix(match[2], "required;")) {
				key += " required"
			}
			got = append(got, key)
		}
		if !slices.Equal(want, got) {
			t.Errorf("docs/plan.md, %s:\ngot  %q\nwant %q", name, got, want)
		}
	}
	if seen != len(types) {
		t.Errorf("docs/plan.md describes %d of %d types", seen, len(types))
	}
}

// Every word that the syntax knows is in the reference.
func TestReferenceWords(t *testing.T) {
	text := reference(t)
	words := append(strings.Fields(operatorNames), Properties...)
	for _, role := range []Role{Input, Output, Temporary, Status, Counter, Errors, Abort} {
		words = append(words, string(role))
	}
	words = append(words, string(In), string(Out), string(Writes), string(ReadsWrites), string(ForwardTicket), string(ForwardResident),
		string(Declared), string(Queried), string(Probed), RateMemory, RateLaunch)
	words = append(append(words, Variants...), Scan, Broadcast)
	for _, c := range Capabilities {
		words = append(words, string(c))
	}
	for name := range Profiles() {
		words = append(words, name)
	}
	for _, word := range words {
		if !strings.Contains(text, "`"+word+"`") && !strings.Contains(text, `{"`+word+`": `) {
			t.Errorf("docs/plan.md does not mention %s", word)
		}
	}
	if !strings.Contains(text, "`"+kindNames+"`") {
		t.Errorf("docs/plan.md does not list the kinds %s", kindNames)
	}
	for op := range operands {
		if !slices.Contains(strings.Fields(operatorNames), string(op)) {
			t.Errorf("the list of operators lacks %s", op)
		}
	}
}

// The example is a plan, written as Encode writes it.
func TestReferenceExample(t *testing.T) {
	_, rest, _ := strings.Cut(reference(t), "```json\n")
	example, _, _ := strings.Cut(rest, "```")
	p, err := Decode([]byte(example))
	if err != nil {
		t.Fatal(err)
	}
	text, err := Encode(p)
	if err != nil || string(text) != example {
		t.Errorf("%v; Encode gives\n%s", err, text)
	}
}
