// Command speed compares the generated functions of examples/consumer with the
// functions of kgen's own benchmarks, loops written by hand, gonum and DuckDB,
// on the same data, in one run and interleaved. It prints medians, ratios and
// missed targets.
//
//	cd testsuite/oracle && go run ./speed
//	cd testsuite/oracle && go run ./speed -rows 67108864 -run Q6
//
// DuckDB has its data in tables in memory, and computes the same result. If the
// function returns columns, DuckDB makes a table of them, as "new" makes new
// columns ("again" reuses the columns of the previous call); if it returns
// numbers, DuckDB returns them. The last column shows DuckDB's time for adding
// up the columns instead of storing them.
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
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
)

// workload is one line of the table.
type workload struct {
	name         string
	table        string                     // of DuckDB
	query        string                     // whose rows are the results
	added        string                     // of results that are columns: a query of result that adds them up
	stored       bool                       // results are columns without such a query: the order of rows would not matter to it
	prepare      func(rows int)             // makes the data
	row          func(i int) []driver.Value // of the table
	second       string                     // another table; "" for none
	seconds      func() int                 // its rows
	secondRow    func(i int) []driver.Value
	fresh, again func()                   // the consumer's function, with new columns and with those of the call before
	own          func()                   // kgen's own, again; nil where it has none
	other        func()                   // the same by hand on two goroutines, or by a library
	agree        func(db *database) error // compares the last results
	least        float64                  // how many times as long DuckDB was to take as "new"; 0 is any
}

// ownMost is the target for the time of the consumer's function relative to
// kgen's own.
const ownMost = 1.05

func main() {
	rows := flag.Int("rows", 16<<20, "rows")
	rounds := flag.Int("rounds", 7, "interleaved runs of which the median is shown")
	best := flag.Bool("best", false, "show the fastest run instead, for machines that do other work too")
	processor := flag.Bool("processor", false, "show the processor time of all threads instead, for machines that do much other work")
	pattern := flag.String("run", ".", "workloads to measure, a regular expression")
	markdown := flag.Bool("markdown", false, "print the table as docs/comparison.md has it")
	flag.Parse()
	chosen, err := regexp.Compile(*pattern)
	if err == nil {
		err = measureAll(*rows, *rounds, *best, *processor, *markdown, chosen)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// columns are the heads of the table.
var columns = []string{"workload", "new", "again", "kgen's own", "again/own", "by hand", "again/by hand", "DuckDB", "DuckDB/new", "DuckDB/again", "DuckDB, added up"}

func measureAll(rows, rounds int, fastest, processor, markdown bool, chosen *regexp.Regexp) error {
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
	if processor {
		shown = "processor time, " + shown
		now = processorTime
	}
	fmt.Printf("ns a row; %d rows, %s of %d interleaved runs, %d workers, %s, DuckDB %v with %d threads, %s/%s, %d cores\n\n", rows, shown, rounds,
		workers, runtime.Version(), version, workers, runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	print := func(cells []string) { fmt.Fprintln(w, strings.Join(cells, "\t")+"\t") }
	if markdown {
		print = func(cells []string) {
			fmt.Println(strings.ReplaceAll("| "+strings.Join(cells, " | ")+" |", "  ", " "))
		}
	}
	print(columns)
	if markdown {
		fmt.Println(strings.Repeat("|---", len(columns)) + "|")
	}
	var missed []string
	for _, load := range workloads {
		if !chosen.MatchString(load.name) {
			continue
		}
		load.prepare(rows)
		if err := db.fill(load.table, rows, load.row); err != nil {
			return fmt.Errorf("%s: %w", load.name, err)
		}
		if load.second != "" {
			if err := db.fill(load.second, load.seconds(), load.secondRow); err != nil {
				return fmt.Errorf("%s: %w", load.name, err)
			}
		}
		cells, short, err := measure(load, db, rows, rounds, fastest)
		if err != nil {
			return fmt.Errorf("%s: %w", load.name, err)
		}
		print(cells)
		missed = append(missed, short...)
		runtime.GC()
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Printf("\nDuckDB/new was to be 2 for filters, orders and Q6, 1 for the plain sum, and from 1 to 11 for sorted rows; again/own at most %.2f: ", ownMost)
	if len(missed) == 0 {
		fmt.Println("so it is.")
		return nil
	}
	fmt.Println("not so are")
	for _, m := range missed {
		fmt.Println("  " + m)
	}
	return nil
}

// The forms of a workload, in the order in which they run.
const (
	formFresh = iota
	formAgain
	formOwn
	formOther
	formDuckDB
	formAdded
	forms
)

// now is the time that is measured, since some moment.
var now = func() time.Duration { return time.Since(begun) }

var begun = time.Now()

// processorTime is the time that the threads of this process have run.
func processorTime() time.Duration {
	var used syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// measure runs all forms in turn, every other round backwards, and returns
// their medians, or the fastest of each, as cells of the table. It also returns
// the missed targets.
func measure(load workload, db *database, rows, rounds int, fastest bool) (cells, missed []string, err error) {
	query := func(text string) func() {
		return func() { err = errors.Join(err, db.exec(text)) }
	}
	run := [forms]func(){formFresh: load.fresh, formAgain: load.again, formOwn: load.own, formOther: load.other, formDuckDB: query(load.query)}
	if load.added != "" || load.stored {
		run[formDuckDB] = query("CREATE OR REPLACE TABLE result AS " + load.query)
	}
	if load.added != "" {
		run[formAdded] = query("WITH result AS NOT MATERIALIZED (" + load.query + ") " + load.added)
	}
	var times [forms][]float64
	for round := range rounds + 1 { // the first touches the memory
		for i := range forms {
			if round%2 == 1 {
				i = forms - 1 - i
			}
			if run[i] == nil {
				continue
			}
			start := now()
			run[i]()
			if round > 0 {
				times[i] = append(times[i], float64((now()-start).Nanoseconds())/float64(rows))
			}
		}
	}
	var shown [forms]float64
	for i := range times {
		shown[i] = middle(times[i], fastest)
	}
	if err == nil {
		err = load.agree(db)
	}
	text := func(form int) string {
		if run[form] == nil {
			return ""
		}
		return fmt.Sprintf("%.2f", shown[form])
	}
	ratio := func(a, b int) string {
		if run[a] == nil || run[b] == nil {
			return ""
		}
		return fmt.Sprintf("%.2f", shown[a]/shown[b])
	}
	ownRatio := ""
	if load.own != nil {
		paired := make([]float64, len(times[formOwn])) // of rounds, in which other work of the machine meets both
		for i := range paired {
			paired[i] = times[formAgain][i] / times[formOwn][i]
		}
		x := shown[formAgain] / shown[formOwn]
		if !fastest {
			x = middle(paired, false)
		}
		ownRatio = fmt.Sprintf("%.2f", x)
		if x > ownMost {
			missed = append(missed, fmt.Sprintf("%s: again/own is %.3f", load.name, x))
		}
	}
	if x := shown[formDuckDB] / shown[formFresh]; x < load.least {
		missed = append(missed, fmt.Sprintf("%s: DuckDB/new is %.2f, not %g", load.name, x, load.least))
	}
	return []string{load.name, text(formFresh), text(formAgain), text(formOwn), ownRatio, text(formOther), ratio(formAgain, formOther),
		text(formDuckDB), ratio(formDuckDB, formFresh), ratio(formDuckDB, formAgain), text(formAdded)}, missed, err
}

// middle is the median of a list, or the least; 0 for an empty list.
func middle(list []float64, least bool) float64 {
	if len(list) == 0 {
		return 0
	}
	list = slices.Sorted(slices.Values(list))
	if least {
		return list[0]
	}
	return list[len(list)/2]
}
