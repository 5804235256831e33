package fuse

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/tile"
)

func TestDump(t *testing.T) {
	files, _ := filepath.Glob("../testsuite/corpus/*.kg")
	for _, f := range files {
		src, _ := os.ReadFile(f)
		ps, errs := ir.Load(f, src)
		if len(errs) > 0 {
			t.Errorf("%v", errs)
			continue
		}
		for _, p := range ps {
			g, err := Lower(p)
			if err != nil {
				t.Log(err)
				continue
			}
			for _, level := range Levels {
				fu, err := Fuse(g, level, plan.Profiles()["cores"])
				if err != nil {
					t.Errorf("%s %s: %v", f, level, err)
					continue
				}
				pr, err := fu.Program()
				if err != nil {
					t.Errorf("%s %s: %v", f, level, err)
					continue
				}
				if err := plan.Validate(pr.Plan); err != nil {
					t.Errorf("%s %s: validate %v", f, level, err)
				}
				if os.Getenv("DUMP") == p.Name {
					t.Logf("%s: %s (%v)", level, fu.Searched, fu.Cost())
					for i, k := range pr.Kernels {
						t.Logf("%v\n%s", names(pr.Groups[i]), tile.Analyze(k))
					}
				}
			}
		}
	}
}
