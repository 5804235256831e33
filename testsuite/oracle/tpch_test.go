package oracle

import (
	"testing"

	"github.com/kgen-go/kgen/internal/table/generate"
)

// The queries of TPC-H that the language can say give in emitted Go what DuckDB gives for the specification's SQL.
func TestTPCH(t *testing.T) {
	scale := 0.1 // every query has rows
	if testing.Short() {
		scale = 0.01
	}
	all, err := generate.NewTPCH(scale, *seedFlag)
	if err != nil {
		t.Fatal(err)
	}
	agreeOverTables(t, "../../examples/tpch/tpch.kg", "queries/tpch", []relation{
		{"lineitem", "l", all.Lineitem}, {"orders", "o", all.Orders}, {"customer", "c", all.Customer}, {"part", "p", all.Part}, {"partsupp", "ps", all.PartSupp},
		{"supplier", "s", all.Supplier}, {"nation", "n", all.Nation}, {"region", "r", all.Region},
	}, "q11.fraction=0.001")
}
