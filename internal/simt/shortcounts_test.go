package simt

import (
	"slices"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// TestShortCounts holds which columns between kernels have 32 bits: those of counts, but no sums,
// no results, and none where rows come in parts.
func TestShortCounts(t *testing.T) {
	for _, c := range []struct {
		body     string
		buffer   string
		schedule plan.Schedule
		want     bool
	}{
		{"c = count(by: g)\n\treturn count: c[c >= 3]", "c", plan.Schedule{}, true},
		{"c = count(by: g)\n\treturn count: c[c >= 3]", "c", plan.Schedule{Scheme: SchemePublished}, true},
		{"c = count(by: g)\n\treturn count: c[c >= 3]", "c", plan.Schedule{Part: 1 << 20}, false},
		{"s = sum(i64(k), by: g)\n\treturn total: s[s >= 3]", "s", plan.Schedule{}, false},
		{"c = count(by: g)\n\treturn count: c, many: c[c >= 3]", "c", plan.Schedule{}, false},
	} {
		text := "pipeline kept(k: [n]i32) {\n\tg = runs(k)\n\t" + c.body + "\n}\n"
		pipelines, errs := ir.Load("kept.kg", []byte(text))
		if err := errs.Err(); err != nil {
			t.Fatal(err)
		}
		program, _, err := compile.Compile(pipelines[0], compile.Options{Level: fuse.LevelNone})
		if err != nil {
			t.Fatal(err)
		}
		lowered, err := Lower(program, c.schedule)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(lowered.Plan.Buffers, func(b plan.Buffer) bool { return b.Name == c.buffer })
		if i < 0 {
			t.Fatalf("%s: there is no buffer %s", c.body, c.buffer)
		}
		got := lowered.Plan.Buffers[i].Kind == plan.Kind(ir.I32.String())
		if got != c.want {
			t.Errorf("%s, %+v: short columns %v, want %v", c.body, c.schedule, got, c.want)
		}
	}
}
