package gocpu

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/plan"
)

// Rows update tables of one length at one index together, and others apart.
func TestUpdatedTogether(t *testing.T) {
	for body, comparisons := range map[string]int{
		"b = bins(k, 4)\nreturn rows: count(by: b), total: sum(x, by: b), mean: avg(x, by: b, else: 0.0)": 1,
		"b = bins(k, 4)\nc = bins(k, 8)\nreturn rows: count(by: b), total: sum(x, by: c)":                 2,
		"b = bins(k, x)\nc = bins(x, x)\nreturn rows: count(by: b), total: sum(k, by: c)":                 2,
	} {
		out, err := Emitter{}.Emit([]*backends.Program{compiled(t, "pipeline p(k: [n]i32, x: [n]i32) {\n"+body+"\n}\n", fuse.LevelOnePass)}, backends.Options{})
		if err != nil {
			t.Fatal(err)
		}
		text := string(out.Files[0].Text)
		rows, _, _ := strings.Cut(text[strings.Index(text, "func pKernel1("):], "\n}\n")
		if n := strings.Count(rows, "if uint64(bin"); n != comparisons {
			t.Errorf("%d comparisons, not %d:\n%s", n, comparisons, rows)
		}
	}
}

// One function moves rows for launches that bind other memory, whose columns need not be equally long.
func TestRoomOfBoundMemory(t *testing.T) {
	program := compiled(t, "pipeline p(k: [n]f64, x: [n]i32) {\no = order(k, x)\nreturn k[o], x[o]\n}\n", fuse.LevelOnePass)
	bound := map[string]bool{}
	plan.WalkSteps(program.Plan.Steps, func(s *plan.Step) {
		if s.Launch != nil {
			for _, arg := range s.Launch.Bind {
				bound[s.Launch.Kernel+" "+arg.Name] = true
			}
		}
	})
	if len(bound) == 0 {
		t.Fatal("no launch binds other memory")
	}
	for _, k := range program.Kernels {
		lengths := newKernel(k, nil, program.Plan, false).lengths
		for _, s := range k.Streams {
			if _, known := lengths[s.Buffer]; known == bound[k.Name+" "+s.Buffer] {
				t.Errorf("%s: the length of %s is known: %t", k.Name, s.Buffer, known)
			}
		}
	}
}
