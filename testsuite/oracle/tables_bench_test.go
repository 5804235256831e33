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
// time of kgen is that of calls by the process that runs them, DuckDB's that of a query with its rows fetched. Beside it stand the
// shortest of these times and the mean of processor time, for machines that do other things, too.
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
				shortest, before := time.Hour, processorTime(true)
				for b.Loop() {
					result, err := emitted.worker.Run(context.Background(), call)
					if err != nil {
						b.Fatal(err)
					}
					took += result.Elapsed
					shortest = min(shortest, result.Elapsed)
					for _, column := range result.Columns {
						emitted.space.Free(column)
					}
				}
				b.ReportMetric(float64(took.Nanoseconds())/float64(b.N), "ns/op")
				report(b, shortest, processorTime(true)-before)
			})
			execute(b, database, fmt.Sprintf("SET threads TO %d", workers))
			b.Run(fmt.Sprintf("%s/DuckDB/workers=%d", p.Name, workers), func(b *testing.B) {
				shortest, before := time.Hour, processorTime(false)
				for b.Loop() {
					begun := time.Now()
					if _, err := sqlRows(b.Context(), database, string(text)); err != nil {
						b.Fatal(err)
					}
					shortest = min(shortest, time.Since(begun))
				}
				report(b, shortest, processorTime(false)-before)
			})
		}
	}
}

func report(b *testing.B, shortest, processor time.Duration) {
	b.ReportMetric(float64(shortest.Nanoseconds()), "shortest-ns")
	b.ReportMetric(float64(processor.Nanoseconds())/float64(b.N), "processor-ns/op")
}
