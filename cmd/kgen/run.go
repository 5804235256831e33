package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/kgen-go/kgen"
	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/internal/tune"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

type runFlags struct {
	table.Flags
	out      []string
	device   string
	level    string
	workers  int
	limit    string
	timeout  time.Duration
	schedule string
	tuned    string
	machine  string
	repeat   int
	shard    string
	time     bool
	json     bool
}

func newRun() *cobra.Command {
	var flags runFlags
	c := &cobra.Command{
		Use:   "run FILE.kg[#NAME]|-e TEXT",
		Short: "Run a pipeline over columns of files",
		Long: `Run compiles a pipeline, runs it over columns of files and prints or writes
its results.

Columns bind to the parameters of their names; --bind chooses others. A file
gives the columns of one domain: name the domain where there are several.
Results over one domain form a table, which takes the name of the domain; the
scalar results form one more, named scalars. The extension of a file says how it
is written; - stands for CSV on standard input or output. All result files
appear at once and whole, or none does.

CSV has dates as YYYY-MM-DD and timestamps by ISO 8601, unless --format says how
a column writes them, in the directives of strftime:
` + table.PatternHelp + `.
A part of a microsecond is an error, unless --round names the column.

--memory-limit counts columns: those read, what the plan keeps between its
kernels, and the results at the most that they can be.

With --shard-rows, the device never holds more than so many rows of the columns,
or of those over DOMAIN, while others are whole and rows may look for theirs.
Of Parquet files without columns of kind text, whole row groups are read as they
are needed, at least one at a time; other columns, and results, lie in ordinary
memory. An operator that needs all rows at once is an error.

On device gocpu the emitted program is built once and kept in the folder kgen of
the user's cache, or in the folder that KGEN_CACHE names. Without a Go toolchain
and without --device, a pipeline runs on device vector, which compiles nothing.`,
		Example: `  kgen run grades.kg --in students.csv
  kgen run -e 'pipeline p(x: [n]i32) { return s: sum(x) }' --in x.csv
  kgen run orders.kg --in lineitem.csv --fuse paper2 --out orders.csv
  kgen run q6.kg --in lineitem.csv --set from=1995-01-01 --set to=1996-01-01
  kgen run queries.kg#q6 --in lineitem.csv --bind quantity=l_quantity
  kgen run days.kg --in log.csv --format 'day=%d.%m.%Y'
  kgen run join.kg --in n=orders.csv --in m=customers.csv --device interp
  cat lineitem.csv | kgen run orders.kg --in - --out - > orders.csv`,
		Args: arguments(1, 1, "one pipeline, FILE.kg or FILE.kg#NAME, or -e TEXT"),
		RunE: func(c *cobra.Command, args []string) error { return advise(runPipeline(c, args, flags), flags) },
	}
	f := c.Flags()
	f.StringArrayVarP(&flags.In, "in", "i", nil, "read columns from `[DOMAIN=]FILE`")
	f.StringArrayVarP(&flags.out, "out", "o", nil, "write results to `[TABLE=]FILE`")
	f.StringArrayVar(&flags.Bind, "bind", nil, "bind a parameter to another column: `NAME=COLUMN`")
	f.StringArrayVar(&flags.Set, "set", nil, "set a scalar parameter: `NAME=VALUE`")
	f.StringArrayVar(&flags.Format, "format", nil, "how a CSV file writes the dates or timestamps of a parameter: `NAME=PATTERN`, as in day=%d.%m.%Y")
	f.StringArrayVar(&flags.Round, "round", nil, "round parts of a microsecond in the timestamps of the parameter `NAME`")
	f.StringVar(&flags.device, "device", defaultDevice, "the `DEVICE` to run on; kgen devices lists them")
	f.StringVar(&flags.level, "fuse", "", build.LevelUsage)
	f.IntVar(&flags.workers, "workers", 0, "use `N` cores at most (gocpu, vector; default all that pay)")
	f.StringVar(&flags.limit, "memory-limit", "", "refuse to use more memory than `SIZE` for columns, as in 500MB or 4GiB")
	f.DurationVar(&flags.timeout, "time-limit", 0, "end a run on a device with a driver, or a kernel on cudaemu, after `TIME`, as in 30s or 2h (default "+kgen.DefaultTimeLimit.String()+")")
	f.StringVar(&flags.schedule, "schedule", "", build.ScheduleUsage)
	tunedFlag(c, &flags.tuned)
	machineFlag(c, &flags.machine, usualMachine)
	f.BoolVar(&flags.time, "time", false, "print how long each step took")
	f.IntVar(&flags.repeat, "repeat", 0, "repeat the work of a device with a driver `N` times; --time and --json print the times")
	f.StringVar(&flags.shard, "shard-rows", "", "run over `[DOMAIN=]N` rows at a time, for a device that cannot hold all")
	f.BoolVar(&flags.json, "json", false, "print results, device, level, plan and steps as JSON")
	takeInline(c)
	takeReproducible(c)
	c.ValidArgsFunction = completePipeline
	completeFlags(c, map[string]cobra.CompletionFunc{
		"in": completeIn, "bind": completeBind, "set": completeSet, "format": completeFormat, "round": completeRound, "device": completeDevice, "fuse": completeLevel, "schedule": completeSchedule,
		"workers": cobra.NoFileCompletions, "memory-limit": cobra.NoFileCompletions, "time-limit": cobra.NoFileCompletions, "repeat": cobra.NoFileCompletions, "shard-rows": cobra.NoFileCompletions,
	})
	return c
}

func runPipeline(c *cobra.Command, args []string, flags runFlags) error {
	if flags.workers < 0 {
		return usageErrorf("--workers %d: at least 1, or 0 for all cores that pay", flags.workers)
	}
	if flags.timeout < 0 || flags.timeout == 0 && c.Flags().Changed("time-limit") {
		return usageErrorf("--time-limit %v: a time above 0 is needed", flags.timeout)
	}
	if flags.repeat < 0 || flags.repeat > 0 && !flags.time && !flags.json {
		return usageErrorf("--repeat %d: a number above 0, with --time or --json, which print the times", flags.repeat)
	}
	if flags.repeat > 0 && flags.device == defaultDevice {
		return usageErrorf("device %s has no clock of its own that this could read: leave out --repeat", flags.device)
	}
	over, rows, err := flags.shards(c)
	if err != nil {
		return err
	}
	source, pipeline, err := loadOne(c, args)
	if err != nil {
		return err
	}
	binding, err := table.Bind(pipeline, flags.Flags)
	if err != nil {
		return &usageError{Err: err}
	}
	outputs, err := parseOutputs(pipeline, flags.out)
	if err != nil {
		return &usageError{Err: err}
	}
	files, err := openOutputs(c, pipeline, outputs)
	if err != nil {
		return err
	}
	defer files.abort()
	limit, err := parseLimit(flags.limit)
	if err != nil {
		return err
	}
	var tuned *tune.File
	if flags.tuned != "" {
		if err := onlyTuned(c); err != nil {
			return err
		}
		if tuned, err = tune.Read(flags.tuned); err != nil {
			return err
		}
	}
	waiting := newWaiting(c.ErrOrStderr())
	defer waiting.end()
	job := &runJob{command: c, flags: flags, source: source, pipeline: pipeline, binding: binding, limit: limit, tuned: tuned, waiting: waiting, clock: newClock(), over: over, rows: rows}
	defer job.close()
	run := job.whole
	if rows > 0 {
		run = job.sharded
	}
	r, extents, err := run()
	if err != nil {
		return err
	}
	r.Files = outputs
	if flags.json {
		if err := files.refuseJSON(r.Results); err != nil {
			return err
		}
	}
	if r.Results, err = files.deliver(r.Results); err != nil {
		return err
	}
	job.clock.end("write")
	r.Steps = job.clock.steps
	if flags.json {
		return r.writeJSON(files.printTo)
	}
	if err := table.Print(files.printTo, r.Results); err != nil || !flags.time {
		return err
	}
	if err := printSteps(c.ErrOrStderr(), r.Steps, longest(extents)); err != nil {
		return err
	}
	return printTimes(c.ErrOrStderr(), r.Times)
}

// settingFlags are the flags that make settings of a device.
var settingFlags = map[string]string{"memory limit": "--memory-limit", "time limit": "--time-limit", "level": "--fuse", "workers": "--workers", "repetitions": "--repeat"}

// advise adds to an error of a device which flag would help.
func advise(err error, flags runFlags) error {
	var setting *kgen.SettingError
	var crash *kgen.GoCrashError
	var timeout *kgen.TimeoutError
	var gaveUp *kgen.GiveUpError
	switch schedule, _ := build.ParseSchedule(flags.schedule); {
	case errors.As(err, &setting):
		return usageErrorf("device %s %s: leave out %s", setting.Device, setting.Reason, settingFlags[setting.Setting])
	case errors.As(err, &crash) && crash.OutOfMemory():
		return fmt.Errorf("%w\nGive it fewer rows or a machine with more memory; --memory-limit refuses a run that would need too much before it begins", err)
	case errors.As(err, &timeout):
		return fmt.Errorf("%w\n  --time-limit gives a run more time", err)
	case errors.As(err, &gaveUp) && schedule.Tables() && strings.Contains(gaveUp.Reason, string(plan.CapAtomicsI64)):
		return fmt.Errorf("%w\n  --schedule variant=%s combines rows of contiguous groups without atomic operations", err, plan.Segmented)
	}
	return err
}

// sizes returns the rows of each domain and the scalars of kind i64, by name.
func sizes(p *ir.Pipeline, extents []table.Extent) (rows, scalars map[string]int64) {
	rows, scalars = map[string]int64{}, map[string]int64{}
	for i, e := range extents {
		switch v := p.Params[i]; {
		case v.Type.Domain != nil:
			rows[v.Type.Domain.Name] = e.Rows
		case v.Type.Kind == ir.I64:
			scalars[v.Name] = e.Scalar.Int64()
		}
	}
	return rows, scalars
}

// readColumns reads the arguments; check first hears what they will be, as far
// as the files tell.
func readColumns(c *cobra.Command, binding *table.Binding, space *memory.Space, check func([]table.Extent) error) ([]ir.Column, error) {
	from := &table.Source{Context: c.Context(), Memory: space, Stdin: c.InOrStdin()}
	extents, err := binding.Extents(from)
	if err != nil {
		return nil, err
	}
	if err := check(extents); err != nil {
		return nil, err
	}
	bar := newProgress(c.ErrOrStderr(), "read", inBytes)
	from.Progress = bar.report
	in, err := binding.Read(from)
	bar.end()
	return in, limitOfColumns(err)
}

// limitOfColumns names the flag if columns that are read need more memory than it allows.
func limitOfColumns(err error) error {
	var limit *memory.LimitError
	if errors.As(err, &limit) {
		return fmt.Errorf("the columns need at least %s of memory (%d bytes); --memory-limit is %s",
			humanize.IBytes(uint64(limit.Needed)), limit.Needed, humanize.IBytes(uint64(limit.Limit)))
	}
	return err
}

// longest returns the rows of the longest column.
func longest(extents []table.Extent) int64 {
	var rows int64
	for _, e := range extents {
		rows = max(rows, e.Rows)
	}
	return rows
}

// kernel names a kernel of the plan that ran.
type kernel struct {
	Name   string   `json:"name"`
	Stages []string `json:"stages"`
}

func kernelsOf(kernels []plan.Kernel) []kernel {
	var names []kernel
	for _, k := range kernels {
		names = append(names, kernel{k.Name, k.Stages})
	}
	return names
}

// report is what run prints, and its JSON form.
type report struct {
	Pipeline string            `json:"pipeline"`
	Device   string            `json:"device"`
	Level    string            `json:"level,omitempty"`
	Plan     []kernel          `json:"plan,omitempty"`
	Elapsed  int64             `json:"elapsed_ns"` // on the device
	Steps    []step            `json:"steps"`
	Times    []time.Duration   `json:"times_ns,omitempty"` // of repetitions on the device
	Files    map[string]string `json:"files,omitempty"`    // where results are
	Results  []table.Table     `json:"-"`                  // those that are in no file: "results", see writeJSON
}

// writeJSON writes the report, its results row by row: as text they are many
// times as large.
func (r report) writeJSON(out io.Writer) error {
	head, err := json.Marshal(r)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out) // keeps the first error
	w.Write(head[:len(head)-1])
	w.WriteString(`,"results":[`)
	for i, t := range r.Results {
		if i > 0 {
			w.WriteByte(',')
		}
		if err := t.WriteJSON(w); err != nil {
			return err
		}
	}
	w.WriteString("]}\n")
	return w.Flush()
}

func writeJSON(w io.Writer, v any) error {
	return json.NewEncoder(w).Encode(v)
}
