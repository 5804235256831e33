package plan

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// goldens are the plans that package exec's tests run.
func goldens(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.json")
	if err != nil || len(paths) < 6 {
		t.Fatalf("%d plans, %v", len(paths), err)
	}
	texts := map[string][]byte{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(path)] = text
	}
	return texts
}

func TestRoundTrip(t *testing.T) {
	for name, text := range goldens(t) {
		p, err := Decode(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again, err := Encode(p)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(text), string(again)); diff != "" {
			t.Errorf("%s (-read +written):\n%s", name, diff)
		}
		for i, line := range bytes.Split(text, []byte("\n")) {
			if len(line) > lineWidth {
				t.Errorf("%s:%d is %d bytes wide", name, i+1, len(line))
			}
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{``, "plan:1:1: "},
		{`{`, "plan:1:2: "},
		{`[]`, "plan:1:1: "},
		{`{}`, `no "version": 1 at the top`},
		{`{"version": 2, "whatever": 1}`, "version 2 cannot be read; this program reads version 1"},
		{`{"version": "1"}`, "plan:1:13: /version: "},
		{"{\"version\": 1,\n \"steps\": [\n  {\"lunch\": {}}]}", "plan:3:4: /steps/0/lunch: unknown object member name"},
		{`{"version": 1, "version": 1}`, "duplicate object member name"},
		{`{"Version": 1}`, `no "version"`},
		{`{"version": 1} 2`, "plan:1:16: "},
		{`{"version": 1, "steps": [{"set": {"scalar": "s", "value": 1.5}}]}`, "/steps/0/set/value: 1.5 is no 64-bit integer"},
		{`{"version": 1, "steps": [{"set": {"scalar": "s", "value": 9223372036854775808}}]}`, "9223372036854775808 is no 64-bit integer"},
		{`{"version": 1, "steps": [{"set": {"scalar": "s", "value": {"div": [1, 2]}}}]}`, `no operator "div"; there are len machine`},
		{`{"version": 1, "steps": [{"set": {"scalar": "s", "value": {"add": [1]}}}]}`, `"add" takes 2 operands, not 1`},
		{`{"version": 1, "steps": [{"set": {"scalar": "s", "value": {"add": 1}}}]}`, `"add" takes a list of 2 operands`},
		{`{"version": 1, "steps": [{"set": {"scalar": "s", "value": {"len": 1}}}]}`, `"len" takes a name, not 1`},
		{`{"version": 1, "steps": [{"set": {"scalar": "s", "value": {"rows": 1}}}]}`, `"rows" takes true, not 1`},
		{`{"version": 1, "steps": [{"set": {"scalar": "s", "value": {"const": 1}}}]}`, `no operator "const"`},
		{`{"version": 1, "steps": [{"set": {"scalar": "s", "value": {}}}]}`, "an expression's object has one key: its operator"},
		{`{"version": 1, "steps": [{"set": {"scalar": "s", "value": {"len": "n", "add": [1, 2]}}}]}`, `has one key; something follows "len"`},
		{`{"version": 1, "steps": [{"set": {"scalar": "s", "value": null}}]}`, "an expression is a number, a scalar's name or an object"},
		{`{"version": 1, "steps": [{"return": {"x": 1}}]}`, "/steps/0/return/x: unknown object member name"},
		{`{"version": 1, "steps": []}`, "steps: there is a path through the steps without a return"},
		{`{"version": 1, "steps": [{}]}`, "steps[0]: a step is exactly one of"},
		{`{"version": 1, "steps": [{"return": {}, "checkErrors": {}}]}`, "steps[0]: a step is exactly one of"},
	} {
		_, err := Decode([]byte(test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s\ngot  %v\nwant %s", test.text, err, test.want)
		}
	}
}

// Deep and long texts are refused or read in a second.
func TestDecodeMalformed(t *testing.T) {
	nest := func(open, middle, end string, times int) string {
		return strings.Repeat(open, times) + middle + strings.Repeat(end, times)
	}
	steps := func(text string) string { return `{"version": 1, "steps": ` + text + `}` }
	value := func(text string) string { return steps(`[{"set": {"scalar": "s", "value": ` + text + `}}]`) }
	for name, text := range map[string]string{
		"operands":  value(nest(`{"add": [1, `, "1", `]}`, 4900)),
		"too deep":  value(nest(`{"add": [1, `, "1", `]}`, 1000000)),
		"loops":     steps(nest(`[{"while": {"cond": {"lt": [0, 1]}, "max": 1, "steps": `, "[]", `}}]`, 3000)),
		"fallbacks": nest(`{"version": 1, "steps": [{"return": {}}], "fallback": `, `{"version": 1, "steps": []}`, "}", 5000),
		"flat":      steps("[" + strings.Repeat(`{"return": {}}, `, 100000) + `{"return": {}}]`),
		"name":      value(`"` + strings.Repeat("a", 1<<20) + `"`),
		"noise":     strings.Repeat("\x00\xff{\"", 1<<20),
	} {
		start := time.Now()
		if _, err := Decode([]byte(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
		if took := time.Since(start); took > 20*time.Second { // what grows with the square takes hours
			t.Errorf("%s: %v", name, took)
		}
	}
}

// Whatever is decoded validates, is encoded, and comes back the same.
func FuzzDecode(f *testing.F) {
	for _, text := range goldens(f) {
		f.Add(text)
	}
	f.Add([]byte(`{"version": 1, "pipeline": "p", "steps": [{"return": {}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		start := time.Now()
		p, err := Decode(text)
		if took := time.Since(start); took > 20*time.Second {
			t.Fatalf("%d bytes take %v", len(text), took)
		}
		if err != nil {
			if len(err.Error()) > 20*600+2*len(text) {
				t.Fatalf("a message of %d bytes", len(err.Error()))
			}
			return
		}
		first, err := Encode(p)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Decode(first)
		if err != nil {
			t.Fatalf("%v in\n%s", err, first)
		}
		second, err := Encode(again)
		if err != nil || !bytes.Equal(first, second) {
			t.Fatalf("%v\n%s\n%s", err, first, second)
		}
	})
}
