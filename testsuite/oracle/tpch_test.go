package oracle

import (
	"testing"

	"github.com/kgen-go/kgen/internal/table/generate"
)

const tpchPipelines, tpchQueries = "../../examples/tpch/tpch.kg", "queries/tpch"

// tpchTables returns the tables of TPC-H.
func tpchTables(t testing.TB, scale float64) []relation {
	t.Helper()
	all, err := generate.NewTPCH(scale, *seedFlag)
	if err != nil {
		t.Fatal(err)
	}
	return []relation{
		{"lineitem", "l", all.Lineitem}, {"orders", "o", all.Orders}, {"customer", "c", all.Customer}, {"part", "p", all.Part}, {"partsupp", "ps", all.PartSupp},
		{"supplier", "s", all.Supplier}, {"nation", "n", all.Nation}, {"region", "r", all.Region},
	}
}

// The queries of TPC-H that the language can say give in emitted Go what DuckDB gives for the specification's SQL.
func TestTPCH(t *testing.T) {
	scale := 0.1 // every query has rows
	if testing.Short() {
		scale = 0.01
	}
	agreeOverTables(t, tpchPipelines, tpchQueries, tpchTables(t, scale), "q11.fraction=0.001")
}

func BenchmarkTPCH(b *testing.B) {
	benchOverTables(b, tpchPipelines, tpchQueries, tpchTables(b, *scaleFlag), "q11.fraction=0.001")
}
