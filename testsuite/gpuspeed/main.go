// Command gpuspeed measures emitted kernels on a GPU beside NVIDIA's library
// CUB and the copy of device memory, all in one run, and prints the rates, their
// shares of the copy and their ratios to CUB beside the goals.
//
//	gpuspeed                                     # cuda:0, 2^28 rows, all but what compiles for long
//	gpuspeed -run 'order|groups|find|join|repeat|star'
//	gpuspeed -run 'COUNT,' -schedule '' -schedule workgroup=512,items=12
//	gpuspeed -opencl opencl:1                    # and OpenCL C beside CUDA C++
//	gpuspeed -curve                              # 2^10 to 2^30 rows
//
// It needs the worker of the device (kgen-cuda, kgen-opencl) in its folder or
// at the path in KGEN_CUDA_WORKER, and nvcc for the peers, which it compiles at
// its start. The README of this folder says how to bring it to a machine
// without Go.
//
// A row's bytes are each input read once and each result written once. Before
// a form gets a time, its results are compared with those of a plain loop, or, by
// -loops=false, with those of the first form: loops over 2^28 rows take minutes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime"

	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/plan"
)

// settings are the settings of the command line.
type settings struct {
	device          string
	schedules       schedules
	opencl          string
	openclSchedules schedules
	level           string
	chosen          *regexp.Regexp
	asked           bool // by -run
	rows            int64
	curve           bool
	most            int // the exponent of the curve's most rows
	repeat          int
	launches        bool
	loops           bool
	compile         bool
	peers           string
	json            string
	markdown        string
	benchfmt        string
}

// schedules is a flag that may be repeated; without it, the default schedule
// runs.
type schedules []shape

// shape is a schedule and its text in the flag.
type shape struct {
	text string
	plan.Schedule
}

func (l *schedules) String() string { return "" }

func (l *schedules) Set(text string) error {
	schedule, err := build.ParseSchedule(text)
	*l = append(*l, shape{text, schedule})
	return err
}

// orDefault returns the schedules, or only the default schedule.
func (l schedules) orDefault() schedules {
	if len(l) == 0 {
		return schedules{shape{}}
	}
	return l
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s, err := parse(os.Args[1:])
	if err == flag.ErrHelp {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gpuspeed:", err)
		os.Exit(2)
	}
	if err := newRunner(s).measure(ctx, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "gpuspeed:", err)
		os.Exit(1)
	}
}

func parse(arguments []string) (*settings, error) {
	s := &settings{}
	f := flag.NewFlagSet("gpuspeed", flag.ContinueOnError)
	f.StringVar(&s.device, "device", "cuda:0", "the `device` of emitted kernels, as kgen run names it")
	f.StringVar(&s.opencl, "opencl", "", "measure the portable OpenCL C on this `device`, too, as opencl:1")
	f.StringVar(&s.level, "fuse", fuse.LevelAuto, "the fusion `level`")
	f.Var(&s.schedules, "schedule", "a `schedule` as kgen run takes it; each time it is given adds one, and without it there is the default")
	f.Var(&s.openclSchedules, "opencl-schedule", "a `schedule` for -opencl")
	pattern := f.String("run", "", "workloads to measure, a `regexp`; by default all that compile soon")
	exponent := f.Int("n", 28, "measure 2^`n` rows")
	f.BoolVar(&s.curve, "curve", false, "measure 2^10 to 2^30 rows, by default of the scan, the filter of 50 % and COUNT of runs of 8")
	f.IntVar(&s.most, "most", 30, "measure up to 2^`n` rows by -curve")
	f.IntVar(&s.repeat, "repeat", 13, "how often each form runs; the median without the first two is printed")
	f.BoolVar(&s.launches, "launches", false, "print what each launch takes, too, by itself")
	f.BoolVar(&s.loops, "loops", true, "compare all results with plain loops of this machine; -loops=false compares only forms with each other")
	f.BoolVar(&s.compile, "compile", false, "only compile, into the caches")
	f.StringVar(&s.peers, "peers", "", "the compiled peers, a `file`; by default nvcc compiles them, and none leaves them out")
	f.StringVar(&s.json, "json", "", "write all figures to a `file`, too")
	f.StringVar(&s.markdown, "markdown", "", "write tables for docs/performance.md to a `file`, too")
	f.StringVar(&s.benchfmt, "benchfmt", "", "write the rates as benchstat reads them to a `file`, too")
	f.SetOutput(io.Discard) // main reports errors
	if err := f.Parse(arguments); err != nil {
		if err == flag.ErrHelp {
			f.SetOutput(os.Stdout)
			f.PrintDefaults()
		}
		return nil, err
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("%q is no flag", f.Arg(0))
	}
	s.asked = *pattern != ""
	if s.curve && !s.asked {
		*pattern = "^inclusive|filter 50|COUNT, runs of 8$"
	}
	var err error
	if s.chosen, err = regexp.Compile(*pattern); err != nil {
		return nil, err
	}
	if *exponent < 0 || *exponent > 30 {
		return nil, fmt.Errorf("-n %d: 0 to 30", *exponent)
	}
	s.rows = 1 << *exponent
	if s.most < 10 || s.most > 30 {
		return nil, fmt.Errorf("-most %d: 10 to 30", s.most)
	}
	if s.opencl == "" && len(s.openclSchedules) > 0 {
		return nil, errors.New("-opencl-schedule is of the device of -opencl")
	}
	if s.repeat < 1 {
		return nil, fmt.Errorf("-repeat %d: at least 1", s.repeat)
	}
	return s, nil
}

// chooses reports whether a workload runs.
func (s *settings) chooses(w *workload) bool {
	return s.chosen.MatchString(w.name) && (s.asked || !w.asked)
}

func machine() string {
	return fmt.Sprintf("%s/%s, %d cores", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
}
