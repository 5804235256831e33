package tables_test

import (
	"regexp"
	"testing"

	"github.com/kgen-go/kgen/backends/opencl"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// TestManyCounters checks that counters of digits lie at places of 64 bits where tiles
// have fewer rows than counters, and of 32 bits elsewhere.
func TestManyCounters(t *testing.T) {
	pipelines, errs := ir.Load("order.kg", []byte("pipeline p(k: [n]u32) {\n\treturn rows: order(k)\n}\n"))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	program, _, err := compile.Compile(pipelines[0], compile.Options{Level: fuse.LevelOnePass, Options: fuse.Options{Short: true}})
	if err != nil {
		t.Fatal(err)
	}
	place := regexp.MustCompile(`(status|counts)\w*\[\(long\)`)
	for _, scheme := range []string{simt.SchemeLookback, simt.SchemePublished} {
		for items, long := range map[int]bool{1: true, 4: false} {
			made, err := opencl.Emitter().Make(program, plan.Schedule{Workgroup: 64, Items: items, Scheme: scheme})
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, f := range made.Files {
				found = found || place.Match(f.Text)
			}
			if found != long {
				t.Errorf("%s, %d rows of a tile and 256 counters: places of 64 bits: %t", scheme, 64*items, found)
			}
		}
	}
}
