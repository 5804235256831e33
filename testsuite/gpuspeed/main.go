// Command gpuspeed measures emitted kernels on a GPU beside NVIDIA's library
// CUB and the copy of device memory, all in one run, and prints the rates, their
// shares of the copy and their ratios to CUB beside the goals.
//
//	gpuspeed                                     # cuda:0, 2^28 rows, all workloads
//	gpuspeed -run 'COUNT,' -schedule '' -schedule workgroup=512,items=12
//	gpuspeed -opencl opencl:1                    # and OpenCL C beside CUDA C++
//	gpuspeed -curve                              # 2^10 to 2^30 rows
//
// It needs the worker of the device beside it (kgen-cuda, kgen-opencl) or where
// KGEN_CUDA_WORKER says, and nvcc for the peers, which it compiles at its start.
// The README of this folder says how to bring it to a machine without Go.
//
// A row's bytes are each input read once and each result written once. Before
// a form gets a time, its results are compared with those of a plain loop.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"strings"

	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/plan"
)

// settings are the command line.
type settings struct {
	device    string
	opencl    string
	level     string
	schedules []plan.Schedule
	names     []string // of the schedules, as they were given
	chosen    *regexp.Regexp
	rows      int64
	curve     bool
	repeat    int
	peers     string
	json      string
	markdown  string
}

// list is a flag that may be given several times.
type list []string

func (l *list) String() string     { return strings.Join(*l, " ") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

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
	var schedules list
	f := flag.NewFlagSet("gpuspeed", flag.ContinueOnError)
	f.StringVar(&s.device, "device", "cuda:0", "the `device` of emitted kernels, as kgen run names it")
	f.StringVar(&s.opencl, "opencl", "", "measure the portable OpenCL C on this `device`, too, as opencl:1")
	f.StringVar(&s.level, "fuse", fuse.LevelAuto, "the fusion `level`")
	f.Var(&schedules, "schedule", "a `schedule` as kgen run takes it; each time it is given adds one, and without it there is the default")
	pattern := f.String("run", ".", "workloads to measure, a `regexp`")
	exponent := f.Int("n", 28, "measure 2^`n` rows")
	f.BoolVar(&s.curve, "curve", false, "measure 2^10 to 2^30 rows, by default of the scan, the filter of 50 % and COUNT of runs of 8")
	f.IntVar(&s.repeat, "repeat", 13, "how often each form runs; the median without the first two is told")
	f.StringVar(&s.peers, "peers", "", "the compiled peers, a `file`; by default nvcc compiles them, and none leaves them out")
	f.StringVar(&s.json, "json", "", "write all figures to a `file`, too")
	f.StringVar(&s.markdown, "markdown", "", "write tables for docs/performance.md to a `file`, too")
	if err := f.Parse(arguments); err != nil {
		return nil, err
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("%q is no flag", f.Arg(0))
	}
	if s.curve && *pattern == "." {
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
	if s.repeat < 1 {
		return nil, fmt.Errorf("-repeat %d: at least 1", s.repeat)
	}
	if len(schedules) == 0 {
		schedules = list{""}
	}
	for _, text := range schedules {
		schedule, err := build.ParseSchedule(text)
		if err != nil {
			return nil, err
		}
		s.schedules = append(s.schedules, schedule)
		s.names = append(s.names, text)
	}
	return s, nil
}

func machine() string {
	return fmt.Sprintf("%s/%s, %d cores", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
}
