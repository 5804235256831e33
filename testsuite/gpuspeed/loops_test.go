package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/device/exec"
)

// Without loops, the first form is the reference of the others, and nothing is computed on the host.
func TestFormsComparedWithEachOther(t *testing.T) {
	runs := 0
	d := wrong{emulation(t), func(r *exec.Result) {
		if runs++; runs == 2 {
			c := r.Columns["total"]
			data := slices.Clone(c.Data)
			data[1000] ^= 1
			r.Columns["total"] = exec.Column{Kind: c.Kind, Data: data}
		}
	}}
	r, _, err := run(t, d, "-n", "11", "-peers", "none", "-loops=false", "-run", "^inclusive", "-schedule", "", "-schedule", "items=4", "-schedule", "items=8")
	if err == nil || strings.Count(err.Error(), "values of result 1 are wrong") != 1 {
		t.Fatal(err)
	}
	if len(r.Rates) != 3 || r.Rates[0].Time == 0 || r.Rates[1].Time != 0 || r.Rates[2].Time == 0 {
		t.Errorf("%+v", r.Rates)
	}
}

// What only compiles measures nothing.
func TestCompile(t *testing.T) {
	r, out, err := run(t, emulation(t), "-n", "11", "-peers", "none", "-compile", "-run", "^inclusive")
	if err != nil || len(r.Rates) > 0 || out != "" {
		t.Errorf("%v %q %v", r.Rates, out, err)
	}
}
