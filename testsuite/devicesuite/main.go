// Command devicesuite runs the corpus on the devices of a machine that need not
// have Go, at every level of fusion and with every schedule, and prints what
// agreed with the interpreter. .ci/device-suite builds a folder to carry there:
//
//	FOLDER/device-suite -out OUT                 the suite
//	FOLDER/device-suite -out OUT -tool memcheck  cuda:0 under compute-sanitizer
//
// The suite is a list of kgen difftest commands, one for each cell of the
// matrix. OUT keeps the results of finished cells, so that a later run
// continues with the rest; no cell is stored in part. The exit status is 1 if a
// result differs, a cell fails or nothing was compared, and 3 if cells are
// left.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Exit codes.
const (
	exitFailed = 1
	exitUsage  = 2
	exitLeft   = 3
)

func main() {
	s := suite{stdout: os.Stdout, stderr: os.Stderr}
	s.flags()
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "device-suite: %s is no flag\n", flag.Arg(0))
		os.Exit(exitUsage)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the suite at once
	code, err := s.run(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "device-suite:", err)
	}
	os.Exit(code)
}

// suite holds the settings of the command line.
type suite struct {
	folder  string // of what .ci/device-suite built
	out     string
	devices string
	levels  string
	only    string
	tool    string
	limit   time.Duration
	jobs    int
	all     bool
	prepare bool
	dry     bool

	stdout, stderr io.Writer
	saying         sync.Mutex
}

func (s *suite) flags() {
	self, _ := os.Executable()
	flag.StringVar(&s.folder, "folder", filepath.Dir(self), "the `FOLDER` with kgen, its workers, the corpus and the Go that was built")
	flag.StringVar(&s.out, "out", "", "keep what is found in `FOLDER`, and do not do it again")
	flag.StringVar(&s.devices, "devices", "", "the `DEVICES`: as kgen names them, nvidia and pocl for the first OpenCL device of each; those that are named here must be there (default "+defaultDevices+")")
	flag.StringVar(&s.levels, "levels", "", "some `LEVELS` of fusion (default all)")
	flag.StringVar(&s.only, "only", "", "the cells whose name has `TEXT`")
	flag.StringVar(&s.tool, "tool", "", "run cuda:0 under a `TOOL` of compute-sanitizer: memcheck, racecheck, initcheck or synccheck")
	flag.DurationVar(&s.limit, "limit", 8*time.Minute+30*time.Second, "begin and finish nothing after that `TIME`")
	flag.IntVar(&s.jobs, "jobs", max(runtime.NumCPU()/4, 1), "run `N` cells of a device at a time")
	flag.BoolVar(&s.all, "all", false, "run every schedule at every level and on every device: several calls")
	flag.BoolVar(&s.prepare, "prepare", false, "build the Go of device gocpu into -folder, where there is Go, instead")
	flag.BoolVar(&s.dry, "list", false, "list the cells instead")
}

// usage is an error of the command line.
type usage string

func (u usage) Error() string { return string(u) }

func usageError(format string, args ...any) error { return usage(fmt.Sprintf(format, args...)) }

// run runs the unfinished cells, and prints the whole matrix.
func (s *suite) run(ctx context.Context) (code int, err error) {
	begin := time.Now()
	if s.folder, err = filepath.Abs(s.folder); err != nil {
		return exitFailed, err
	}
	if s.prepare {
		if err := s.buildGo(ctx); err != nil {
			return exitFailed, err
		}
		return 0, nil
	}
	if s.out == "" && !s.dry {
		return exitUsage, errors.New("-out FOLDER is missing")
	}
	if s.out, err = filepath.Abs(s.out); err != nil {
		return exitFailed, err
	}
	bounded, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	rows, err := s.rows(bounded)
	if wrong := usage(""); errors.As(err, &wrong) {
		return exitUsage, err
	}
	if err != nil {
		return exitFailed, err
	}
	if s.dry {
		for _, r := range rows {
			for _, c := range r.cells {
				fmt.Fprintln(s.stdout, c)
			}
		}
		return 0, nil
	}
	closed, err := s.open()
	if err != nil {
		return exitFailed, err
	}
	defer closed()
	if s.tool != "" {
		if err := s.wrapWorker(); err != nil {
			return exitFailed, err
		}
		if err := s.checkTool(bounded); err != nil {
			return exitFailed, err
		}
	}
	s.runAll(bounded, rows)
	var text strings.Builder
	total := printMatrix(&text, rows)
	fmt.Fprintf(&text, "%s in this call\n", time.Since(begin).Round(time.Second))
	if _, err := io.WriteString(s.stdout, text.String()); err != nil {
		return exitFailed, err
	}
	name := "matrix.txt"
	if s.tool != "" {
		name = s.tool + ".txt"
	}
	if err := writeWhole(filepath.Join(s.out, name), []byte(text.String())); err != nil {
		return exitFailed, err
	}
	isMissing := func(r *row) bool { return r.absent && s.devices != "" }
	switch {
	case total.differ+total.failed > 0 || total.runs == 0 && total.left == 0 || slices.ContainsFunc(rows, isMissing):
		return exitFailed, nil
	case total.left > 0:
		return exitLeft, nil
	}
	return 0, nil
}
