package random

import (
	"os"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/ir"
)

// Every program is valid for package ir, which knows nothing of the generator,
// and equal arguments give equal programs.
func TestProgramsAreValid(t *testing.T) {
	faults := 0
	programs := 300
	if os.Getenv("KGEN_TEST_ALL") != "" { // docs/testing.md
		programs = 1200
	}
	for number := range programs {
		p, err := Pipeline(1, number, Options{})
		if err != nil {
			t.Error(err)
			if faults++; faults > 5 {
				t.FailNow()
			}
			continue
		}
		if err := ir.Verify(p); err != nil {
			t.Fatal(err)
		}
		if again := Source(1, number, Options{}); again != Source(1, number, Options{}) {
			t.Fatalf("program %d differs from itself", number)
		}
	}
}

// Programs have every operator, and nearly all pairs of operators that types allow.
func TestCoverage(t *testing.T) {
	var c Coverage
	for number := range 3600 { // in proportion to the pairs
		p, err := Pipeline(2, number, Options{})
		if err != nil {
			t.Fatal(err)
		}
		c.Add(p)
	}
	var missing [][2]ir.Op
	pairs := Pairs()
	for _, pair := range pairs {
		if c.Pairs[pair] == 0 {
			missing = append(missing, pair)
		}
	}
	for op := ir.OpParam; op <= slices.Max(ir.Aggregates()); op++ {
		if op != ir.OpBits && op != ir.OpOfBits && c.Operators[op] == 0 { // which are of the compiler alone
			t.Errorf("%v does not occur", op)
		}
	}
	t.Logf("%d of %d pairs; missing %v", len(pairs)-len(missing), len(pairs), missing)
	if 200*len(missing) > len(pairs) {
		t.Error("more than half a percent of the pairs are missing")
	}
}
