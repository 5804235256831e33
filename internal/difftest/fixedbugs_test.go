package difftest

import (
	"path/filepath"
	"testing"
)

const fixedBugs = "../../testsuite/fixedbugs"

// Differences that were found and mended do not come back: each is repeated in
// its circumstances and at every level, on a device of work-groups and on device vector, which
// compile nothing. Emitted Go and other devices run them by kgen difftest --replay testsuite/fixedbugs.
func TestFixedBugs(t *testing.T) {
	vectors, err := Open(t.Context(), "vector")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(vectors.Close)
	paths, err := filepath.Glob(filepath.Join(fixedBugs, "*.kg"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no differences in %s: %v", fixedBugs, err)
	}
	for _, path := range paths {
		r, err := LoadReplay(path)
		if err != nil {
			t.Fatal(err)
		}
		if r.Cause == "" {
			t.Errorf("%s: say in its .json what the cause was", path)
		}
		program := Program{Name: path, Pipeline: r.Pipeline, Columns: r.Columns, Where: &r.Circumstances}
		for _, levels := range [][]string{{r.Level}, nil} {
			if levels == nil {
				program.Where = nil
			}
			report := Run(t.Context(), Options{Devices: []Device{Emulated{}, vectors}, Programs: []Program{program}, Levels: levels, Runs: 3, Seed: 1})
			if report.Executions == 0 || report.CountMismatches() > 0 {
				t.Errorf("%s at levels %v: %d runs; %+v", path, levels, report.Executions, report.Mismatches)
			}
		}
	}
}
