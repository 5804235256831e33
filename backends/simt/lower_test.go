package simt

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/compile"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// programs compiles the corpus at a level.
func programs(t *testing.T, level string) map[string]*backends.Program {
	paths, err := filepath.Glob("../../testsuite/corpus/*.kg")
	if err != nil || len(paths) == 0 {
		t.Fatal(err, paths)
	}
	list := map[string]*backends.Program{}
	for _, path := range paths {
		pipelines, err := ir.LoadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pipelines {
			program, _, err := compile.Compile(p, compile.Options{Level: level})
			var unsupported *fuse.Unsupported
			if errors.As(err, &unsupported) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			list[p.Name] = program
		}
	}
	return list
}

// TestCorpusLowers verifies loop programs and plan of every pipeline at every level.
func TestCorpusLowers(t *testing.T) {
	for _, level := range fuse.Levels {
		for name, program := range programs(t, level) {
			if _, err := Lower(program, plan.Schedule{}); err != nil {
				t.Errorf("%s at %s: %v", name, level, err)
			}
		}
	}
}
