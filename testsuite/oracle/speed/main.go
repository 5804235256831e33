// Command speed measures the functions of examples/consumer, which kgen has
// generated, beside the ones that kgen keeps for its own benchmarks, loops
// written by hand, gonum and DuckDB, on the same data, in one run and interleaved. It prints medians and ratios.
//
//	cd testsuite/oracle && go run ./speed
//	cd testsuite/oracle && go run ./speed -rows 67108864 -run revenue
//
// DuckDB has its data in tables in memory. It makes a table of the results, as
// kgen's "new" makes new columns ("again" uses those of the call before), and,
// lest that be what takes the time, only adds the results up; the faster of
// both counts.
package main

import (
	"database/sql/driver"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"
)

// workload is one line of the table.
type workload struct {
	name  string
	table string // of DuckDB
	query string // whose rows are the results
	added string // a query of result that adds them up
	// of DuckDB
	prepare      func(rows int)             // makes the data
	row          func(i int) []driver.Value // of the table
	fresh, again func()                     // the consumer's function, with new columns and with those of the call before
	own          func()                     // kgen's own, again; nil where it has none
	other        func()                     // the same by hand on two goroutines, or by a library
	agree        func(db *database) error   // compares the last results
}

func main() {
	rows := flag.Int("rows", 16<<20, "rows")
	rounds := flag.Int("rounds", 7, "interleaved runs of which the median is shown")
	best := flag.Bool("best", false, "show the fastest run instead, for machines that do other work too")
	pattern := flag.String("run", ".", "workloads to measure, a regular expression")
	flag.Parse()
	if err := measureAll(*rows, *rounds, *best, regexp.MustCompile(*pattern)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func measureAll(rows, rounds int, fastest bool, chosen *regexp.Regexp) error {
	db, err := openDatabase(workers)
	if err != nil {
		return err
	}
	defer db.close()
	version, err := db.value("SELECT version()")
	if err != nil {
		return err
	}
	shown := "median"
	if fastest {
		shown = "fastest"
	}
	fmt.Printf("%d rows, %s of %d interleaved runs, %d workers, %s, DuckDB %v with %d threads, %s/%s, %d cores\n\n", rows, shown, rounds,
		workers, runtime.Version(), version, workers, runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "workload\tnew ns/row\tagain ns/row\tkgen's own ns/row\tagain/own\tby hand ns/row\tagain/by hand\tDuckDB table ns/row\tDuckDB added up ns/row\tDuckDB/new\tDuckDB/again\t")
	for _, load := range workloads {
		if !chosen.MatchString(load.name) {
			continue
		}
		load.prepare(rows)
		if err := db.fill(load.table, rows, load.row); err != nil {
			return fmt.Errorf("%s: %w", load.name, err)
		}
		line, err := measure(load, db, rows, rounds, fastest)
		if err != nil {
			return fmt.Errorf("%s: %w", load.name, err)
		}
		fmt.Fprintln(w, line)
		runtime.GC()
	}
	return w.Flush()
}

// measure runs all forms in turn and formats their medians, or the fastest of each.
func measure(load workload, db *database, rows, rounds int, fastest bool) (string, error) {
	var failed error
	query := func(text string) func() {
		return func() { failed = errors.Join(failed, db.exec(text)) }
	}
	forms := []func(){load.fresh, load.again, load.own, load.other,
		query("CREATE OR REPLACE TABLE result AS " + load.query), query("WITH result AS NOT MATERIALIZED (" + load.query + ") " + load.added)}
	shown := make([]float64, len(forms))
	times := make([][]float64, len(forms))
	for round := range rounds + 1 { // the first touches the memory
		for i, form := range forms {
			if form == nil {
				continue
			}
			start := time.Now()
			form()
			if round > 0 {
				times[i] = append(times[i], float64(time.Since(start).Nanoseconds())/float64(rows))
			}
		}
	}
	for i := range times {
		if slices.Sort(times[i]); len(times[i]) > 0 {
			shown[i] = times[i][len(times[i])/2]
			if fastest {
				shown[i] = times[i][0]
			}
		}
	}
	if failed == nil {
		failed = load.agree(db)
	}
	own := "\t"
	if load.own != nil {
		own = fmt.Sprintf("%.2f\t%.2f", shown[2], shown[1]/shown[2])
	}
	best := min(shown[4], shown[5])
	return fmt.Sprintf("%s\t%.2f\t%.2f\t%s\t%.2f\t%.2f\t%.2f\t%.2f\t%.1f\t%.1f\t", load.name, shown[0], shown[1], own,
		shown[3], shown[1]/shown[3], shown[4], shown[5], best/shown[0], best/shown[1]), failed
}
