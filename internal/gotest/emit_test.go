package gotest

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/ir"
)

var update = flag.Bool("update", false, "write testdata")

func load(t *testing.T, text string) *ir.Pipeline {
	t.Helper()
	pipelines, errs := ir.Load("test.kg", []byte(text))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	return pipelines[0]
}

// entryOf names the function of p as gocpu does.
func entryOf(p *ir.Pipeline, name string, fields ...string) backends.Entry {
	entry := backends.Entry{Pipeline: p.Name, Func: name, Into: name + "Into", Result: name + "Result"}
	for _, v := range p.Params {
		entry.Params = append(entry.Params, backends.Field{Name: v.Name, Scalar: v.Type.IsScalar()})
	}
	for i, r := range p.Results {
		entry.Results = append(entry.Results, backends.Field{Name: fields[i], Scalar: r.Value.Type.IsScalar()})
	}
	return entry
}

// The printed tests of a pipeline with a check, a sum of floats, a number of
// bins and constants of several types, to be read.
func TestText(t *testing.T) {
	p := load(t, `
pipeline report(shop: [n]i32, cents: [n]i64, weight: [n]f32, code: [n]char8, shops: i32, least: i64 = 10) {
	s = bins(shop, shops)
	total = sum(cents, by: s)
	heavy = weight > 1.5 && code < "B"
	return mean: total / count(by: s), heavy: count(heavy, by: s), weight: sum(weight), first: first(cents[heavy], else: -1),
		low: min(cents, by: s, else: least), running: scan(max, cents)
}
`)
	entry := entryOf(p, "Report", "Mean", "Heavy", "Weight", "First", "Low", "Running")
	text, err := newWriter(p, entry).file("reports")
	if err != nil {
		t.Fatal(err)
	}
	again, err := newWriter(p, entry).file("reports")
	if err != nil || !bytes.Equal(text, again) {
		t.Errorf("printed again, the text differs: %v", err)
	}
	golden := filepath.Join("testdata", "report.go.txt")
	if *update {
		if err := os.WriteFile(golden, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(text)); d != "" {
		t.Errorf("the text changed; read it, then go test -update:\n%s", d)
	}
}

// A printed test imports the packages that its reference names, and no others.
func TestImports(t *testing.T) {
	for text, want := range map[string]bool{
		"pipeline p(x: [n]timestamp) {\n\treturn h: hour(x)\n}\n":           true,
		"pipeline p(x: [n]timestamp) {\n\treturn d: date(x)\n}\n":           true,
		"pipeline p(x: [n]date) {\n\treturn d: truncate(x, \"month\")\n}\n": false,
		"pipeline p(time: [n]date) {\n\treturn d: weekday(time)\n}\n":       false,
		"pipeline p(x: [n]timestamp, y: i64) {\n\treturn later: x + y\n}\n": false,
	} {
		p := load(t, text)
		got, err := newWriter(p, entryOf(p, "P", "X")).file("p")
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(got, []byte("\n\t\"time\"\n")) != want {
			t.Errorf("imports of %s differ: %s", text, got[:min(len(got), 200)])
		}
	}
}
