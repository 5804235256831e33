package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/explore"
	"github.com/kgen-go/kgen/internal/explore/columns"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/internal/table"
)

type exploreFlags struct {
	table.Flags
	rows      string
	dist      []string
	seed      uint64
	devices   string
	levels    string
	schedules []string
	sweeps    []string
	sweepFile string
	out       string
	json      string
	text      bool
	resume    bool
	compare   bool
	choices   bool
	lock      string
	random    int
	quick     bool
	measure   time.Duration
	machine   string

	processorTime    bool
	workersTakeTurns bool // by the file of --lock
}

// The rows that are generated, and the time for which a configuration is measured at
// most, unless the user says.
const (
	exploreRows, quickRows       = 1 << 20, 1 << 16
	exploreMeasure, quickMeasure = 5 * time.Second, 300 * time.Millisecond
)

func newExplore() *cobra.Command {
	var flags exploreFlags
	c := &cobra.Command{
		Use:   "explore FILE.kg[#NAME]|FOLDER|-e TEXT",
		Short: "Measure a pipeline at each fusion level, and show why",
		Long: `Explore runs a pipeline over columns of files, or over generated ones, at each
fusion level, shape of kernels and device that is asked for. It checks that all
results agree, measures each configuration until the confidence interval of its
median is within 2 %, and prints tables or writes a page: the source, the stages
as each level groups them into kernels, measured beside predicted times and
bytes, heat maps of swept settings, curves over rows, and the emitted text.

The page is one file that needs no network. Beside it lies a file of JSON Lines
with all samples; --resume goes on where an interrupted exploration has stopped,
and --compare A.jsonl B.jsonl tells what became slower.

Generated columns come from the relation of kgen data that has columns of these
names and types, or else follow from how the pipeline uses them. --dist says it:
` + columns.Help + `

A folder has a file ` + explore.SweepFileName + `, whose lines KEY = A, B, C name pipelines
and settings, experiment by experiment; docs/explore.md describes it. --quick
takes few rows and little time, to see whether all works.

--choices takes any number of files and folders, and --random N programs by
chance beside them. It measures each pipeline at all levels, and says how far
level auto is from the best measured, with the ten worst: a check of the model
of costs, after kgen devices --calibrate or without. Pipelines whose checks
generated columns would fail are left out, and named. --out FILE.svg shows
measured over predicted times. Given files of --json, it judges what these have.`,
		Example: `  kgen explore orders.kg --rows 4194304 --devices gocpu,opencl:0 --out o.html
  kgen explore orders.kg --in lineitem.parquet --text
  kgen explore orders.kg --rows 1e5,1e6,1e7 --dist unique,repeated:mean-run=8
  kgen explore orders.kg --devices opencl:0 --sweep items=4,8 --out sweep.html
  kgen explore --choices corpus --devices opencl:0 --rows 1e6 --json c.jsonl
  kgen explore --compare before.jsonl after.jsonl`,
		Args: func(c *cobra.Command, args []string) error {
			if flags.compare {
				return arguments(2, 2, "two files of JSON Lines: before and after")(c, args)
			}
			if flags.choices {
				return arguments(0, -1, "files and folders of pipelines")(c, args)
			}
			return arguments(1, 1, "one pipeline, FILE.kg or FILE.kg#NAME, or -e TEXT, or a folder with "+explore.SweepFileName)(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if flags.compare {
				return compareExplorations(c, args)
			}
			if flags.choices && allLogs(args) {
				return judgeLogs(c, args, &flags)
			}
			return runExplore(c, args, &flags)
		},
	}
	f := c.Flags()
	f.StringArrayVarP(&flags.In, "in", "i", nil, "read columns from `[DOMAIN=]FILE`")
	f.StringArrayVar(&flags.Bind, "bind", nil, "bind a parameter to another column: `NAME=COLUMN`")
	f.StringArrayVar(&flags.Set, "set", nil, "set a scalar parameter: `NAME=VALUE`")
	f.StringVar(&flags.rows, "rows", "", "generate columns of `N` rows; a list is a curve, as in 1e4,1e5,1e6 (default 1048576)")
	f.StringArrayVar(&flags.dist, "dist", nil, "the `DISTRIBUTIONS` of generated columns, as in unique,repeated:mean-run=8 (default auto)")
	f.Uint64Var(&flags.seed, "seed", 1, "the `SEED` of generated columns")
	f.StringVar(&flags.devices, "devices", "gocpu", "the `DEVICES` to run on, as in gocpu,opencl:0; kgen devices lists them")
	f.StringVar(&flags.levels, "levels", "", "the fusion `LEVELS`, or plans by hand (default all levels)")
	f.StringArrayVar(&flags.schedules, "schedule", nil, build.ScheduleUsage+"; repeat it to compare some")
	f.StringArrayVar(&flags.sweeps, "sweep", nil, "run every value of a setting of --schedule, as in `items=4,8,16`; - is what kgen chooses")
	f.StringVar(&flags.sweepFile, "sweep-file", "", "take what is not given by flags from the lines KEY = A, B, C of `FILE`")
	f.StringVarP(&flags.out, "out", "o", "", "write a page to `FILE.html`; with --choices a picture, FILE.svg")
	f.StringVar(&flags.json, "json", "", "write all samples as JSON Lines to `FILE.jsonl` (default beside the page)")
	f.BoolVar(&flags.text, "text", false, "print tables, also where a page is written")
	f.BoolVar(&flags.resume, "resume", false, "keep what the file of --json has, and do the rest")
	f.BoolVar(&flags.compare, "compare", false, "compare two files of JSON Lines")
	f.BoolVar(&flags.choices, "choices", false, "say how far level auto is from the best measured, for many pipelines")
	f.StringVar(&flags.lock, "lock", "", "run nothing while another process that names `FILE` runs something, so that several share a device")
	f.IntVar(&flags.random, "random", 0, "with --choices, add `N` programs by chance, of --seed")
	f.BoolVar(&flags.quick, "quick", false, "take few rows and little time")
	f.DurationVar(&flags.measure, "measure", 0, "measure each configuration for at most `TIME` (default "+exploreMeasure.String()+")")
	f.BoolVar(&flags.processorTime, processorTimeFlag, false, processorTimeUsage)
	machineFlag(c, &flags.machine, usualMachine)
	takeInline(c)
	takeReproducible(c)
	c.ValidArgsFunction = completePipeline
	completeFlags(c, map[string]cobra.CompletionFunc{"in": completeIn, "bind": completeBind, "set": completeSet, "schedule": completeSchedule,
		"rows": cobra.NoFileCompletions, "dist": words(columns.Kinds()...), "devices": completeDevice, "levels": completeLevel, "sweep": completeSchedule,
		"measure": cobra.NoFileCompletions, "seed": cobra.NoFileCompletions})
	return c
}

// compareExplorations prints how a second report differs from a first one.
func compareExplorations(c *cobra.Command, args []string) error {
	var reports [2]*explore.Report
	for i, path := range args {
		var err error
		if reports[i], err = explore.ReadLog(path); err != nil {
			return err
		}
	}
	return explore.Compare(reports[0], reports[1]).WriteText(c.OutOrStdout())
}

// allLogs reports whether arguments name files of JSON Lines.
func allLogs(args []string) bool {
	isOther := func(arg string) bool { return filepath.Ext(arg) != ".jsonl" }
	return len(args) > 0 && !slices.ContainsFunc(args, isOther)
}

// judgeLogs prints what the choices of level auto were worth in what was measured before.
func judgeLogs(c *cobra.Command, args []string, flags *exploreFlags) error {
	if err := flags.checkOut(); err != nil {
		return err
	}
	report := &explore.Report{}
	for _, path := range args {
		r, err := explore.ReadLog(path)
		if err != nil {
			return err
		}
		report.Devices = append(report.Devices, r.Devices...)
		report.Results = append(report.Results, r.Results...)
	}
	if flags.out != "" {
		if err := table.WriteFile(c.Context(), flags.out, report.WriteScatter); err != nil {
			return err
		}
	}
	return report.WriteChoices(c.OutOrStdout())
}

// exploration is what the arguments ask for.
type exploration struct {
	flags     *exploreFlags
	pipelines []*explored
	grids     []explore.Grid // one, or one for each experiment of a sweep file
	json      string         // the path of the log, or ""

	reproducible bool // --reproducible
}

// runExplore explores, and writes what came out.
func runExplore(c *cobra.Command, args []string, flags *exploreFlags) error {
	x, err := newExploration(c, args, flags)
	if err != nil {
		return err
	}
	waiting := newWaiting(c.ErrOrStderr())
	defer waiting.end()
	runner := &exploreRunner{command: c, flags: flags, pipelines: map[string]*explored{}, devices: map[string]exploreDevice{}, space: memory.NewSpace(0), waiting: waiting}
	defer runner.close()
	for _, p := range x.pipelines {
		runner.pipelines[p.argument] = p
	}
	if err := flags.shareDevices(x.devices()); err != nil {
		return err
	}
	for _, name := range x.devices() {
		device, err := openExploreDevice(c.Context(), name, flags.machine, runner.space, waiting)
		if err != nil {
			return err
		}
		runner.devices[name] = device
		if flags.processorTime {
			if err := device.takeProcessorTime(); err != nil {
				return err
			}
		}
	}
	report, err := x.begin()
	if err != nil {
		return err
	}
	var log *explore.Log
	if x.json != "" {
		if log, err = explore.CreateLog(x.json, report); err != nil {
			return err
		}
	}
	list := explore.Configurations(x.grids, func(device string) bool { return runner.devices[device].shaped() })
	err = runner.explore(c.Context(), report.Remaining(list), report, log, x)
	report.Arrange(list)
	if log != nil {
		err = errors.Join(err, log.Close())
	}
	if err != nil && c.Context().Err() == nil {
		return err
	}
	return x.deliver(c, runner, report)
}

// explore measures the copy of each device and then the configurations.
func (r *exploreRunner) explore(ctx context.Context, list []explore.Configuration, report *explore.Report, log *explore.Log, x *exploration) error {
	for _, name := range x.devices() {
		if report.Device(name).Copy > 0 || ctx.Err() != nil {
			continue
		}
		r.waiting.on("measuring the copy of " + name)
		info := r.devices[name].info()
		if !x.flags.choices { // which need no copy
			info = r.measureCopy(ctx, name)
		}
		report.SetDevice(info)
		if log != nil && ctx.Err() == nil {
			if err := log.AddDevice(&info); err != nil {
				return err
			}
		}
	}
	begun := time.Now()
	defer r.waiting.on("")
	var skipped func(explore.DataSet, error)
	if x.flags.choices {
		skipped = func(d explore.DataSet, why error) {
			r.waiting.on("")
			line, _, _ := strings.Cut(why.Error(), "\n")
			fmt.Fprintf(r.command.ErrOrStderr(), "kgen: %s over %s rows is left out: %s\n", d.Pipeline, explore.Count(d.Rows), line)
		}
	}
	return explore.Run(ctx, r, list, report, explore.Options{Limits: report.Header.Limits, Log: log, Distinct: x.flags.choices, Command: x.command, Skipped: skipped, Turn: x.flags.turns(),
		Progress: func(done float64, what string) {
			text := fmt.Sprintf("%.0f %% of %d configurations", 100*done, len(list))
			if elapsed := time.Since(begun).Seconds(); done > 0.02 && elapsed > 2 {
				text += ", about " + describeTime(elapsed/done*(1-done)) + " left"
			}
			r.waiting.on(text + ": " + what)
		}})
}

// deliver prints tables and writes the page.
func (x *exploration) deliver(c *cobra.Command, runner *exploreRunner, report *explore.Report) error {
	interrupted := c.Context().Err()
	if x.flags.out != "" {
		write := func(out io.Writer) error { return runner.writePage(out, report, nil) }
		if x.flags.choices {
			write = report.WriteScatter
		}
		// Also after an interrupt, with what has been measured.
		err := table.WriteFile(context.WithoutCancel(c.Context()), x.flags.out, write)
		if err != nil {
			return err
		}
	}
	out := c.OutOrStdout()
	if interrupted != nil { // it takes nothing any more
		out = c.ErrOrStderr()
	}
	if x.flags.choices {
		err := report.WriteChoices(out)
		if report.Wrong() > 0 {
			err = errors.Join(err, report.WriteProblems(out))
		}
		if err != nil {
			return err
		}
	}
	if x.flags.text || x.flags.out == "" && !x.flags.choices || report.Wrong() > 0 && !x.flags.choices {
		if err := report.WriteText(out); err != nil {
			return err
		}
	}
	if interrupted != nil {
		if x.json != "" {
			fmt.Fprintf(c.ErrOrStderr(), "kgen: %s has what was measured; --resume goes on\n", x.json)
		}
		return interrupted
	}
	if x.flags.out != "" {
		fmt.Fprintf(c.ErrOrStderr(), "kgen: wrote %s and %s\n", x.flags.out, x.json)
	}
	if report.Wrong() > 0 {
		return errReported
	}
	return nil
}

// begin returns the report to add to: a new one, or with --resume that of the log.
func (x *exploration) begin() (*explore.Report, error) {
	header := x.header()
	if !x.flags.resume {
		return &explore.Report{Header: header}, nil
	}
	if x.json == "" {
		return nil, usageErrorf("--resume goes on with a file of JSON Lines: add --json FILE or --out FILE")
	}
	report, err := explore.ReadLog(x.json)
	if err != nil {
		return nil, err
	}
	if err := report.Header.CheckResume(&header); err != nil {
		return nil, fmt.Errorf("%s: %w: leave out --resume to measure all of it again", x.json, err)
	}
	header.Begun = report.Header.Begun
	report.Header = header
	return report, nil
}

// command returns the command that repeats a configuration alone.
func (x *exploration) command(c explore.Configuration) string {
	words := []string{"kgen", "explore", c.Pipeline}
	if i := slices.IndexFunc(x.pipelines, func(p *explored) bool { return p.argument == c.Pipeline }); i >= 0 && (c.Pipeline == inlineName || strings.HasPrefix(c.Pipeline, randomName)) {
		words = []string{"kgen", "explore", "-e", string(x.pipelines[i].source.Text)}
	}
	if x.reproducible {
		words = append(words, "--"+reproducibleFlag)
	}
	for _, flag := range []struct {
		name   string
		values []string
	}{{"--in", x.flags.In}, {"--bind", x.flags.Bind}, {"--set", x.flags.Set}} {
		for _, value := range flag.values {
			words = append(words, flag.name, value)
		}
	}
	if c.Data != explore.FromFiles {
		words = append(words, "--rows", fmt.Sprint(c.Rows), "--dist", c.Data, "--seed", fmt.Sprint(x.flags.seed))
	}
	words = append(words, "--devices", c.Device, "--levels", c.Level)
	if c.Schedule != "" {
		words = append(words, "--schedule", c.Schedule)
	}
	for i, word := range words {
		if word == "" || strings.ContainsAny(word, " \t\n|*?$&;<>()\"#") {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// defaultLevels are those that are explored unless the user says.
var defaultLevels = fuse.Levels

// jsonBeside is the path of the log of a page.
func jsonBeside(page string) string {
	return strings.TrimSuffix(page, filepath.Ext(page)) + ".jsonl"
}
