package main

import (
	"os"
	"path/filepath"
	"testing"
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
