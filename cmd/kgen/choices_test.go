package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/explore"
)

// The picture of the docs is that of the measurements beside it.
func TestChoicesOfDocs(t *testing.T) {
	made := filepath.Join(t.TempDir(), "choices.svg")
	if code, _, errs := execute("", "explore", "--choices", "../../docs/choices.jsonl", "--out", made); code != exitOK {
		t.Fatal(errs)
	}
	got, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("../../docs/choices.svg")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Error("run kgen explore --choices docs/choices.jsonl --out docs/choices.svg")
	}
}

// Programs by chance have columns and scalars of their own. What no columns pass is left out, at the
// sizes that the interpreter takes and at larger ones.
func TestChoicesOfRandomPrograms(t *testing.T) {
	enter(t, map[string]string{
		"half.kg":  "pipeline half(x: [n]i32, limit: i32) { return kept: x[x < limit] }\n",
		"fails.kg": "pipeline fails(x: [n]i64) { return c: count(by: bins(x + 1000, 10)) }\n",
	})
	code, out, errs := execute("", "explore", "--choices", "half.kg", "fails.kg", "--random", "6", "--levels", "auto,none", "--rows", "1000,140000", "--measure", "1ms", "--machine", "declared", "--lock", "lock", "--json", "c.jsonl")
	if code != exitOK || !strings.Contains(out, "gocpu: auto is within 10 % of the best measured in ") || !strings.Contains(out, "costs are of the cores machine") {
		t.Fatalf("exit %d: %s%s", code, out, errs)
	}
	for _, want := range []string{"fails.kg over 1,000 rows is left out: ", "fails.kg over 140,000 rows is left out: "} {
		if !strings.Contains(errs, want) {
			t.Errorf("there is no %q in\n%s", want, errs)
		}
	}
	report, err := explore.ReadLog("c.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	measured := map[string]bool{}
	for i := range report.Results {
		r := &report.Results[i]
		measured[r.Pipeline] = true
		if r.Status != explore.Agrees {
			t.Errorf("%s: %s %s", r.Configuration, r.Status, r.Problem)
		}
		for _, l := range r.Lengths {
			if r.Pipeline == "half.kg" && l.Domain != "n" && (l.Rows < r.Rows*4/10 || l.Rows > r.Rows*6/10) {
				t.Errorf("%d of %d rows are below the scalar", l.Rows, r.Rows)
			}
		}
	}
	if !measured["half.kg"] || measured["fails.kg"] || !measured["random#1.1"] || !measured["random#1.5"] {
		t.Errorf("%v", measured)
	}
}
