// Command speed measures emitted Go against hand-written Go, in one run and
// interleaved, and prints medians and ratios.
//
//	go run ./testsuite/speed                 # all workloads, 64 Mi rows, 1 and 2 workers
//	go run ./testsuite/speed -run count -rows 16777216
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"
)

// workload is one line of the table: emitted Go beside its peer.
type workload struct {
	name    string
	bytes   int               // that must move per row, at least
	prepare func(rows int)    // makes the data
	emitted func(workers int) // fused
	unfused func(workers int) // a kernel per stage; nil is not measured
	peer    func(workers int) // hand-written
	agree   func() error      // the last results of emitted and peer
}

func main() {
	rows := flag.Int("rows", 64<<20, "rows")
	rounds := flag.Int("rounds", 5, "interleaved runs of which the median is shown")
	pattern := flag.String("run", ".", "workloads to measure, a regular expression")
	unfused := flag.Bool("unfused", true, "measure the unfused form too")
	flag.Parse()
	chosen, err := regexp.Compile(*pattern)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	fmt.Printf("%d rows, median of %d interleaved runs, %s, %s/%s, %d cores\n\n", *rows, *rounds,
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "workload\tworkers\temitted ns/row\tGB/s\tpeer ns/row\temitted/peer\tunfused ns/row\tunfused/emitted\t")
	failed := false
	for _, load := range workloads {
		if !chosen.MatchString(load.name) {
			continue
		}
		load.prepare(*rows)
		for workers := 1; workers <= 2; workers++ {
			row, err := measure(load, *rows, *rounds, workers, *unfused)
			if err != nil {
				fmt.Fprintln(os.Stderr, load.name+":", err)
				failed = true
			}
			fmt.Fprint(w, row)
		}
		w.Flush()
		clearData()
		runtime.GC()
	}
	if failed {
		os.Exit(1)
	}
}

// measure runs all forms in turn and formats their medians.
func measure(load workload, rows, rounds, workers int, unfused bool) (string, error) {
	forms := []func(int){load.emitted, load.peer}
	if unfused && load.unfused != nil {
		forms = append(forms, load.unfused)
	}
	times := make([][]float64, len(forms))
	for round := range rounds + 1 { // the first touches the memory
		for i, form := range forms {
			start := time.Now()
			form(workers)
			if round > 0 {
				times[i] = append(times[i], float64(time.Since(start).Nanoseconds())/float64(rows))
			}
		}
	}
	median := make([]float64, len(forms))
	for i := range forms {
		slices.Sort(times[i])
		median[i] = times[i][len(times[i])/2]
	}
	line := fmt.Sprintf("%s\t%d\t%.2f\t%.1f\t%.2f\t%.2f\t", load.name, workers, median[0],
		float64(load.bytes)/median[0], median[1], median[0]/median[1])
	if len(forms) > 2 {
		line += fmt.Sprintf("%.2f\t%.1f\t", median[2], median[2]/median[0])
	} else {
		line += "\t\t"
	}
	return line + "\n", load.agree()
}
