package oracle

import (
	"testing"

	"github.com/kgen-go/kgen/internal/table/generate"
)

const starPipelines, starQueries = "../../examples/papers/ssb/ssb.kg", "queries/ssb"

// starTables returns the tables of the Star Schema Benchmark.
func starTables(t testing.TB, scale float64) []relation {
	t.Helper()
	star, err := generate.NewSSB(scale, *seedFlag)
	if err != nil {
		t.Fatal(err)
	}
	return []relation{
		{"lineorder", "l", star.LineOrder}, {"date", "d", star.Date}, {"customer", "c", star.Customer}, {"supplier", "s", star.Supplier}, {"part", "p", star.Part},
	}
}

// The 13 queries of the Star Schema Benchmark give in emitted Go what DuckDB gives for the benchmark's SQL.
func TestStarSchema(t *testing.T) {
	scale := 0.5 // every query has rows
	if testing.Short() {
		scale = 0.02
	}
	agreeOverTables(t, starPipelines, starQueries, starTables(t, scale))
}

func BenchmarkStarSchema(b *testing.B) {
	benchOverTables(b, starPipelines, starQueries, starTables(b, *scaleFlag))
}
