package oracle

import (
	"testing"

	"github.com/kgen-go/kgen/internal/table/generate"
)

// The 13 queries of the Star Schema Benchmark give in emitted Go what DuckDB gives for the benchmark's SQL.
func TestStarSchema(t *testing.T) {
	scale := 0.5 // every query has rows
	if testing.Short() {
		scale = 0.02
	}
	star, err := generate.NewSSB(scale, *seedFlag)
	if err != nil {
		t.Fatal(err)
	}
	agreeOverTables(t, "../../examples/papers/ssb/ssb.kg", "queries/ssb", []relation{
		{"lineorder", "l", star.LineOrder}, {"date", "d", star.Date}, {"customer", "c", star.Customer}, {"supplier", "s", star.Supplier}, {"part", "p", star.Part},
	})
}
