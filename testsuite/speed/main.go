// Command speed measures emitted Go against hand-written Go, in one run and
// interleaved, and prints medians and ratios.
//
//	go run ./testsuite/speed                 # all workloads, 64 Mi rows, 1 and 2 workers
//	go run ./testsuite/speed -run count -rows 16777216
//	go run ./testsuite/speed -vector         # device vector and the interpreter, on -cores cores, as in -cores 1,16
//	go run ./testsuite/speed -memory         # new memory and memory used again, beside loops with append and good ones
//	go run ./testsuite/speed -benchfmt >new  # for benchstat: a line per run
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
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

	pipeline string       // of generated/bench
	args     func() []any // its arguments
}

func main() {
	rows := flag.Int("rows", 64<<20, "rows")
	rounds := flag.Int("rounds", 5, "interleaved runs of which the median is shown")
	pattern := flag.String("run", ".", "workloads to measure, a regular expression")
	unfused := flag.Bool("unfused", true, "measure the unfused form too")
	bench := flag.Bool("benchfmt", false, "print a line per run, as benchstat reads them")
	inProcess := flag.Bool("vector", false, "measure the devices that compile nothing beside emitted Go")
	inMemory := flag.Bool("memory", false, "measure emitted Go in new memory and in memory used again, by processor time")
	cores := flag.String("cores", "1", "workers of emitted Go and of device vector, with -vector; several numbers, as in 1,16, are measured in turns")
	interpreted := flag.Int("interpreted", 2, "rounds of -vector in which the interpreter runs, which is slow")
	processor := flag.Bool("processor", false, "with -vector, processor time of one core in place of the time that passes")
	profile := flag.String("cpuprofile", "", "with -vector, write a profile to this file")
	flag.Parse()
	chosen, err := regexp.Compile(*pattern)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if *bench {
		fmt.Printf("goos: %s\ngoarch: %s\npkg: github.com/kgen-go/kgen/testsuite/speed\n", runtime.GOOS, runtime.GOARCH)
	} else {
		fmt.Printf("%d rows, %s of %d interleaved runs, %s, %s/%s, %d cores\n\n", *rows, map[bool]string{true: "fastest", false: "median"}[*inProcess || *inMemory], *rounds,
			runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	if *inMemory {
		list := slices.DeleteFunc(memoryWorkloads(), func(load memoryWorkload) bool { return !chosen.MatchString(load.name) })
		err := compareMemory(w, list, *rows, *rounds, processorTime)
		w.Flush()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if !*bench && !*inProcess {
		fmt.Fprintln(w, "workload\tworkers\temitted ns/row\tGB/s\tpeer ns/row\temitted/peer\tunfused ns/row\tunfused/emitted\t")
	}
	if *inProcess {
		list := slices.DeleteFunc(slices.Concat(workloads, tableWorkloads), func(load workload) bool { return !chosen.MatchString(load.name) })
		c := comparison{rows: *rows, rounds: *rounds, interpreted: *interpreted, processor: *processor}
		for text := range strings.SplitSeq(*cores, ",") {
			number, err := strconv.Atoi(text)
			if err != nil || number < 1 {
				fmt.Fprintf(os.Stderr, "-cores %s: numbers of workers, separated by commas\n", *cores)
				os.Exit(2)
			}
			c.cores = append(c.cores, number)
		}
		if *profile != "" {
			file, err := os.Create(*profile)
			if err == nil {
				err = pprof.StartCPUProfile(file)
			}
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
		err := c.run(w, list)
		pprof.StopCPUProfile()
		w.Flush()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	failed := false
	for _, load := range workloads {
		if !chosen.MatchString(load.name) {
			continue
		}
		load.prepare(*rows)
		for workers := 1; workers <= 2; workers++ {
			times := measure(load, *rounds, workers, *unfused)
			if *bench {
				fmt.Print(benchLines(load, *rows, workers, times))
			} else {
				fmt.Fprint(w, tableLine(load, *rows, workers, times))
			}
			if err := load.agree(); err != nil {
				fmt.Fprintln(os.Stderr, load.name+":", err)
				failed = true
			}
		}
		w.Flush()
		clearData()
		runtime.GC()
	}
	if failed {
		os.Exit(1)
	}
}

// formNames are the forms of a workload in the order of measure's times.
var formNames = []string{"emitted", "peer", "unfused"}

// measure runs all forms in turn, and returns the time of each, round by round.
func measure(load workload, rounds, workers int, unfused bool) [][]time.Duration {
	forms := []func(int){load.emitted, load.peer}
	if unfused && load.unfused != nil {
		forms = append(forms, load.unfused)
	}
	times := make([][]time.Duration, len(forms))
	for round := range rounds + 1 { // the first touches the memory
		for i, form := range forms {
			start := time.Now()
			form(workers)
			if round > 0 {
				times[i] = append(times[i], time.Since(start))
			}
		}
	}
	return times
}

// tableLine is a line of medians.
func tableLine(load workload, rows, workers int, times [][]time.Duration) string {
	var median []float64 // ns/row
	for _, form := range times {
		sorted := slices.Sorted(slices.Values(form))
		median = append(median, float64(sorted[len(sorted)/2].Nanoseconds())/float64(rows))
	}
	line := fmt.Sprintf("%s\t%d\t%.2f\t%.1f\t%.2f\t%.2f\t", load.name, workers, median[0],
		float64(load.bytes)/median[0], median[1], median[0]/median[1])
	if len(median) > 2 {
		line += fmt.Sprintf("%.2f\t%.1f\t", median[2], median[2]/median[0])
	} else {
		line += "\t\t"
	}
	return line + "\n"
}

// benchLines are lines of Go's benchmarks, one for each run of each form.
func benchLines(load workload, rows, workers int, times [][]time.Duration) string {
	var out strings.Builder
	for i, form := range times {
		for _, took := range form {
			fmt.Fprintf(&out, "Benchmark%s/form=%s/workers=%d-%d\t1\t%d ns/op\t%.0f B/s\n", strings.ReplaceAll(load.name, " ", "_"),
				formNames[i], workers, runtime.GOMAXPROCS(0), took.Nanoseconds(), float64(load.bytes*rows)/took.Seconds())
		}
	}
	return out.String()
}
