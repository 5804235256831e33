package simt

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// A kernel has no prefix that only numbers rows whose checks fail, and its plan a fallback
// that has it.
func TestUnnumbered(t *testing.T) {
	for _, test := range []struct {
		name, results string
		schedule      plan.Schedule
		cuts          int // launches that need earlier tiles
	}{
		{"a check alone", "h: count(by: bins(x[k], 4))", plan.Schedule{}, 0},
		{"rows that are kept", "h: count(by: bins(x[k], 4)), x: x[k]", plan.Schedule{}, 1},
		{"a check beside rows that are kept", "h: count(by: bins(x[k], 4)), y: x[k][x[k] > 1], z: count(by: bins(x[k][x[k] > 1], 4))", plan.Schedule{}, 1},
		{"without a fallback", "h: count(by: bins(x[k], 4))", plan.Schedule{Scheme: SchemePublished}, 3},
	} {
		pipelines, errs := ir.Load("kept.kg", []byte("pipeline kept(k: [n]bool, x: [n]i32) {\n\treturn "+test.results+"\n}\n"))
		if err := errs.Err(); err != nil {
			t.Fatal(err)
		}
		program, _, err := compile.Compile(pipelines[0], compile.Options{Level: fuse.LevelOnePass})
		if err != nil {
			t.Fatal(err)
		}
		lowered, err := Lower(program, test.schedule)
		if err != nil {
			t.Fatal(err)
		}
		cuts := 0
		for _, k := range lowered.Plan.Kernels {
			if k.Variants[0].Schedule.Scheme != SchemeFlat {
				cuts++
			}
		}
		if cuts != test.cuts {
			t.Errorf("%s: %d launches need earlier tiles, not %d", test.name, cuts, test.cuts)
		}
		if hasFallback := lowered.Plan.Fallback != nil; hasFallback != (test.schedule.Scheme == "") {
			t.Errorf("%s: a fallback: %v", test.name, hasFallback)
		}
	}
}

// A failed check does not end the waiting of work-groups for each other: they would go on
// with states that nobody has published.
func TestChecksEndNoWaiting(t *testing.T) {
	pipelines, errs := ir.Load("both.kg", []byte("pipeline both(k: [n]bool, x: [n]i32) {\n\treturn h: count(by: bins(x[k], 4)), s: scan(add, x)\n}\n"))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	program, _, err := compile.Compile(pipelines[0], compile.Options{Level: fuse.LevelOnePass})
	if err != nil {
		t.Fatal(err)
	}
	lowered, err := Lower(program, plan.Schedule{})
	if err != nil {
		t.Fatal(err)
	}
	text := lowered.Kernels[0].String()
	for _, want := range []string{"atomic or abort[0], 1", "atomic or abort[0], 2", "if (volatile abort[0] & 1) != 0"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
