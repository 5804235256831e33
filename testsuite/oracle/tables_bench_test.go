package oracle

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/kgen-go/kgen/ir"
)

var scaleFlag = flag.Float64("scale", 1, "the scale of the tables of benchmarks")

// benchOverTables measures pipelines in emitted Go beside DuckDB over tables in memory, with one and two workers or threads. The
// time of kgen is that of calls by the process that runs them, DuckDB's that of a query with its rows fetched.
func benchOverTables(b *testing.B, source, queries string, relations []relation, set ...string) {
	database, files := openTables(b, relations, "TABLE")
	pipelines, err := ir.LoadFile(source)
	if err != nil {
		b.Fatal(err)
	}
	emitted, err := buildGo(pipelines)
	if err != nil {
		b.Fatal(err)
	}
	defer emitted.close()
	for _, p := range pipelines {
		text, err := os.ReadFile(filepath.Join(queries, p.Name+".sql"))
		if err != nil {
			b.Fatal(err)
		}
		in := readTables(b, p, files, set)
		for _, workers := range []int{1, 2} {
			call := emitted.call(p, "onepass", in, workers)
			b.Run(fmt.Sprintf("%s/kgen/workers=%d", p.Name, workers), func(b *testing.B) {
				var took time.Duration
				for b.Loop() {
					result, err := emitted.worker.Run(context.Background(), call)
					if err != nil {
						b.Fatal(err)
					}
					took += result.Elapsed
					for _, column := range result.Columns {
						emitted.space.Free(column)
					}
				}
				b.ReportMetric(float64(took.Nanoseconds())/float64(b.N), "ns/op")
			})
			execute(b, database, fmt.Sprintf("SET threads TO %d", workers))
			b.Run(fmt.Sprintf("%s/DuckDB/workers=%d", p.Name, workers), func(b *testing.B) {
				for b.Loop() {
					if _, err := sqlRows(b.Context(), database, string(text)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
