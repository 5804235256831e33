package testsuite

import (
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/ir"
)

// The corpus has every operator, every element type as a parameter and as a
// result, every operation of scan, every check, and each clause that an
// operator may have.
func TestCorpusCoverage(t *testing.T) {
	entries, err := Load("corpus")
	if err != nil {
		t.Fatal(err)
	}
	var (
		scans, exscans                    [ir.ReduceXor + 1]bool
		checks                            [ir.CheckEmpty + 1]bool
		descending, limited, binsByColumn bool
	)
	params, results := map[ir.Kind]bool{}, map[ir.Kind]bool{}
	ops, grouped, whole, otherwise := map[ir.Op]bool{}, map[ir.Op]bool{}, map[ir.Op]bool{}, map[ir.Op]bool{}
	for _, entry := range entries {
		for _, v := range entry.Pipeline.Values {
			ops[v.Op] = true
			grouped[v.Op] = grouped[v.Op] || v.By != nil
			whole[v.Op] = whole[v.Op] || v.By == nil
			otherwise[v.Op] = otherwise[v.Op] || v.Else != nil
			scans[v.Reduce] = scans[v.Reduce] || v.Op == ir.OpScan
			exscans[v.Reduce] = exscans[v.Reduce] || v.Op == ir.OpExscan
			descending = descending || slices.Contains(v.Desc, true)
			limited = limited || v.Limit != nil
			binsByColumn = binsByColumn || v.Op == ir.OpBins && !v.Args[1].Type.IsScalar()
		}
		for _, v := range entry.Pipeline.Params {
			params[v.Type.Kind] = true
		}
		for _, r := range entry.Pipeline.Results {
			results[r.Value.Type.Kind] = true
		}
		for _, s := range entry.Pipeline.Sites {
			checks[s.Kind] = true
		}
	}
	missing := func(what string, i int) { t.Errorf("the corpus has no %s %d", what, i) }
	for op := ir.OpParam; op <= slices.Max(ir.Aggregates()); op++ {
		if !ops[op] && op != ir.OpBits && op != ir.OpOfBits {
			missing("operator", int(op))
		}
		if op.IsAggregate() && op != ir.OpCount && (!grouped[op] || !whole[op]) {
			missing("aggregate with and without by:", int(op))
		}
		if op.IsAggregate() && op.Aggregate().NoRows == ir.NoRowsElse && !otherwise[op] {
			missing("else: of operator", int(op))
		}
	}
	kinds := []ir.Kind{ir.DecimalOf(2)}
	for k := ir.Bool; k <= ir.Char8; k++ {
		kinds = append(kinds, k)
	}
	for _, k := range kinds {
		if !params[k] || !results[k] {
			missing("parameter and result of kind", int(k))
		}
	}
	for r := ir.ReduceAdd; r <= ir.ReduceXor; r++ {
		if !scans[r] || !exscans[r] {
			missing("scan and exscan of operation", int(r))
		}
	}
	for c := range checks {
		if !checks[c] {
			missing("check", c)
		}
	}
	if !descending || !limited || !binsByColumn {
		t.Errorf("desc %v, limit: %v, bins by column %v", descending, limited, binsByColumn)
	}
	if len(entries) < 45 {
		t.Errorf("only %d pipelines", len(entries))
	}
}

func TestCorpusCompiles(t *testing.T) {
	entries, err := Load("corpus")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if _, _, err := compile.Compile(entry.Pipeline, compile.Options{}); err != nil {
			t.Errorf("%s: %v", entry.Name, err)
		}
	}
}
