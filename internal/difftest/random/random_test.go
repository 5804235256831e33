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

// Some programs find rows by several keys, and among those that masks keep; some take columns of what is found,
// by one find and by several that share a mask; some have more bins than local memory.
func TestLookups(t *testing.T) {
	seen := map[string]int{}
	for number := range 300 {
		p, err := Pipeline(3, number, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range p.Values {
			switch {
			case (v.Op == ir.OpFind || v.Op == ir.OpJoin) && v.Split > 1:
				seen["tuples in "+v.Op.String()]++
			case v.Op == ir.OpFind && v.Args[v.Split].Op == ir.OpCompact:
				seen["found among kept rows"]++
			}
			if at := looksUp(v); at != nil {
				seen["looked up"]++
				if mask := at.Args[1]; mask.Op == ir.OpLogicalAnd && slices.ContainsFunc(p.Values, func(other *ir.Value) bool {
					second := looksUp(other)
					return second != nil && second.Args[1] == mask && second.Args[0] != at.Args[0]
				}) {
					seen["looked up in several tables"]++
				}
			}
			if v.Op == ir.OpBins && v.Args[1].Op == ir.OpConst && v.Args[1].Const.Int64() > 1<<13 {
				seen["many bins"]++
			}
		}
	}
	for _, what := range []string{"tuples in find", "tuples in join", "found among kept rows", "looked up", "looked up in several tables", "many bins"} {
		if seen[what] == 0 {
			t.Errorf("no program has %s", what)
		}
	}
	t.Log(seen)
}

// looksUp returns by which found rows a column is gathered; nil if it is not.
func looksUp(v *ir.Value) *ir.Value {
	if v.Op != ir.OpGather || v.Args[1].Op != ir.OpCompact || v.Args[1].Args[0].Op != ir.OpFind {
		return nil
	}
	return v.Args[1]
}
