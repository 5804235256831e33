package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kgen-go/kgen"
	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/difftest"
	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/testsuite"
)

type difftestFlags struct {
	random   int
	seed     uint64
	devices  string
	levels   string
	runs     int
	inputs   string
	batch    int
	programs string
	schedule string
	choose   string
	keep     string
	replay   []string
	report   string
	first    bool
}

func newDifftest() *cobra.Command {
	var flags difftestFlags
	c := &cobra.Command{
		Use:   "difftest [FILE.kg | FOLDER]...",
		Short: "Test that devices agree with the interpreter",
		Long: `Difftest runs pipelines over random data on several devices and fusion levels,
and compares each result, or the failed check and its row, with what the
interpreter gives. It prints a matrix of devices and levels, each difference
with the command that repeats it, and what was tested; it exits with 1 where
anything differs.

The pipelines are those of files, or with --random made by chance. Program and
data of a case follow from --seed alone, the same on every machine. Float sums
may differ by the bound of the language; everything else is compared bit for
bit.

--keep shrinks what differs, the program, its data and the schedule, and writes
it into a folder, for --replay. docs/agreement.md says what is tested, and how.`,
		Example: `  kgen difftest examples/tpch --devices all --runs 50
  kgen difftest --random 200 --seed 7 --devices gocpu,opencl:0 --report r.json
  kgen difftest --replay testsuite/fixedbugs/0001.kg`,
		RunE: func(c *cobra.Command, args []string) error { return runDifftest(c, args, flags) },
	}
	f := c.Flags()
	f.IntVar(&flags.random, "random", 0, "test `N` random pipelines instead of files")
	f.Uint64Var(&flags.seed, "seed", 1, "the `SEED` of programs and data")
	f.StringVar(&flags.devices, "devices", "gocpu,vector,emulated", "the `DEVICES` to compare, or all")
	f.StringVar(&flags.levels, "levels", "", "the fusion `LEVELS`, or all (default all; of a random pipeline one by chance)")
	f.IntVar(&flags.runs, "runs", 0, "run `N` inputs for each pipeline (default 20; 3 for random pipelines)")
	f.StringVar(&flags.inputs, "inputs", "", "one run for each of the `INPUTS`: numbers of rows, or the data beside a pipeline, as in own,0,1,tile+1,3tile-7 (default lengths by chance)")
	f.IntVar(&flags.batch, "batch", 0, "prepare `N` pipelines together (default 48, or half of them all)")
	f.StringVar(&flags.programs, "gocpu-programs", "", "keep in `DIR` what device gocpu builds, and use what is there, without Go, too")
	f.StringVar(&flags.schedule, "schedule", "", build.ScheduleUsage+" (default: small ones by chance)")
	takeReproducible(c)
	f.StringVar(&flags.choose, "case", "", "run case `P.R` of a report alone: program and run")
	f.StringVar(&flags.keep, "keep", "", "shrink what differs and write it into `FOLDER`")
	f.StringArrayVar(&flags.replay, "replay", nil, "run the `FILE.kg` that --keep wrote, or all of a folder")
	f.StringVar(&flags.report, "report", "", "write the report as JSON to `FILE`")
	f.BoolVar(&flags.first, "first", false, "stop at the first difference")
	c.ValidArgsFunction = completeSources
	completeFlags(c, map[string]cobra.CompletionFunc{"schedule": completeSchedule, "replay": completeSources, "keep": completeFolder, "gocpu-programs": completeFolder})
	return c
}

// runDifftest runs a test and reports it.
func runDifftest(c *cobra.Command, args []string, flags difftestFlags) error {
	options, err := flags.options(c, args)
	if err != nil {
		return err
	}
	defer func() {
		for _, d := range options.Devices {
			d.Close()
		}
	}()
	bar := newProgress(c.ErrOrStderr(), "test", "inputs")
	options.Progress = bar.report
	report := difftest.Run(c.Context(), options)
	bar.end()
	out := c.OutOrStdout()
	if report.Interrupted { // it takes nothing any more
		out = c.ErrOrStderr()
	}
	if err := report.Print(out); err != nil {
		return err
	}
	if flags.report != "" {
		// Also after an interrupt, with the finished runs.
		err := table.WriteFile(context.WithoutCancel(c.Context()), flags.report, func(out io.Writer) error {
			encoder := json.NewEncoder(out)
			encoder.SetIndent("", "\t")
			return encoder.Encode(report)
		})
		if err != nil {
			return err
		}
	}
	switch {
	case report.Interrupted:
		return c.Context().Err()
	case report.CountMismatches() > 0:
		return errReported
	case report.Executions == 0:
		return errors.New("nothing was compared: no device runs any of it")
	}
	return nil
}

// options checks the flags.
func (f difftestFlags) options(c *cobra.Command, args []string) (o difftest.Options, err error) {
	switch {
	case f.random < 0 || f.runs < 0 || f.batch < 0:
		return o, usageErrorf("--random, --runs and --batch are numbers of programs and inputs: not negative")
	case f.inputs != "" && f.runs > 0:
		return o, usageErrorf("--inputs says how many runs there are: leave out --runs %d", f.runs)
	case isReproducible(c) && len(args) == 0:
		return o, usageErrorf("--reproducible is for files: of random pipelines, and those of --replay, the text says whether they return reproducible")
	case f.random > 0 && len(args)+len(f.replay) > 0:
		return o, usageErrorf("--random makes pipelines: give no files beside it")
	case f.random == 0 && len(args) == 0 && len(f.replay) == 0:
		return o, usageErrorf("give files of pipelines, --random N or --replay FILE.kg")
	}
	o = difftest.Options{Random: f.random, Seed: f.seed, Runs: f.runs, Batch: f.batch, First: f.first, Keep: f.keep}
	if f.inputs != "" {
		if o.Inputs, err = difftest.ParseInputs(f.inputs); err != nil {
			return o, usageErrorf("--inputs: %w", err)
		}
		if f.runs = len(o.Inputs); f.random > 0 && slices.Contains(o.Inputs, difftest.Input{Own: true}) {
			return o, usageErrorf("--inputs own: random pipelines have no data of their own")
		}
	}
	if o.Schedule, err = build.ParseSchedule(f.schedule); err != nil {
		return o, err
	}
	if f.choose != "" {
		chosen, err := difftest.ParseCase(f.choose)
		if err != nil {
			return o, usageErrorf("--case: %w", err)
		}
		if o.Case = &chosen; chosen.Run >= f.runs && f.runs > 0 {
			return o, usageErrorf("--case %s: --runs %d has no such run", f.choose, f.runs)
		}
	}
	switch f.levels {
	case "":
	case "all":
		o.Levels = fuse.Levels
	default:
		for _, level := range splitList(f.levels) {
			if !slices.Contains(fuse.Levels, level) && !strings.ContainsAny(level, "| ") {
				return o, usageErrorf("--levels: there is no fusion level %q; there are %s, and plans by hand", level, strings.Join(fuse.Levels, ", "))
			}
			o.Levels = append(o.Levels, level)
		}
	}
	if o.Programs, err = testPrograms(c, args, slices.Contains(o.Inputs, difftest.Input{Own: true})); err != nil {
		return o, err
	}
	replays, err := sourceFiles(f.replay)
	if err != nil {
		return o, err
	}
	for _, path := range replays {
		kept, err := difftest.LoadReplay(path)
		if err != nil {
			return o, err
		}
		o.Programs = append(o.Programs, difftest.Program{Name: path, Pipeline: kept.Pipeline, Columns: kept.Columns, Where: &kept.Circumstances})
		if o.Runs == 0 {
			o.Runs = 1
		}
		if !c.Flags().Changed("devices") && !slices.Contains(splitList(f.devices), kept.Device) {
			f.devices += "," + kept.Device
		}
	}
	if o.Devices, err = testDevices(c.Context(), f.devices, f.programs); err != nil {
		return o, err
	}
	o.Repeat = func(chosen difftest.Case, device, level string) string {
		return f.repeat(args, isReproducible(c), chosen, device, level)
	}
	return o, nil
}

// repeat returns the command that repeats a case.
func (f difftestFlags) repeat(args []string, reproducible bool, chosen difftest.Case, device, level string) string {
	words := append([]string{"kgen", "difftest"}, args...)
	for _, path := range f.replay {
		words = append(words, "--replay", path)
	}
	if f.random > 0 {
		words = append(words, "--random", fmt.Sprint(f.random))
	}
	words = append(words, "--seed", fmt.Sprint(f.seed), "--case", chosen.String(), "--devices", device, "--levels", level)
	switch {
	case f.inputs != "":
		words = append(words, "--inputs", f.inputs)
	case f.runs > 0:
		words = append(words, "--runs", fmt.Sprint(f.runs))
	}
	if f.schedule != "" {
		words = append(words, "--schedule", f.schedule)
	}
	if reproducible {
		words = append(words, "--"+reproducibleFlag)
	}
	for i, word := range words {
		if strings.ContainsAny(word, " |") {
			words[i] = "'" + word + "'"
		}
	}
	return strings.Join(words, " ")
}

// testPrograms loads the pipelines of files and folders, with their data files if
// withData is set.
func testPrograms(c *cobra.Command, args []string, withData bool) (list []difftest.Program, err error) {
	files, err := sourceFiles(args)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		s, err := loadFile(file, isReproducible(c), c.ErrOrStderr())
		if err != nil {
			return nil, err
		}
		for _, p := range s.Pipelines {
			name := file
			if len(s.Pipelines) > 1 {
				name += "#" + p.Name
			}
			program := difftest.Program{Name: name, Pipeline: p}
			if withData && len(s.Pipelines) == 1 {
				entry, err := testsuite.LoadEntry(file)
				if err != nil {
					return nil, err
				}
				program.Columns = entry.Columns
			}
			list = append(list, program)
		}
	}
	return list, nil
}

// testDevices opens the devices of a list; programs is the folder of --gocpu-programs.
func testDevices(ctx context.Context, text, programs string) (list []difftest.Device, err error) {
	names := splitList(text)
	if text == "all" {
		names = []string{"gocpu", "vector", "emulated", "cudaemu"}
		for _, info := range kgen.Devices(ctx, nil) {
			if info.Available && !slices.Contains(names, info.Name) {
				names = append(names, info.Name)
			}
		}
	}
	for _, name := range names {
		switch name {
		case "interp": // all others are compared with it
		case "gocpu", raceDevice, simdDevice:
			tester, err := newGoTester(name, programs)
			if err != nil {
				return nil, err
			}
			list = append(list, tester)
		case "emulated":
			list = append(list, difftest.Emulated{})
		default:
			d, err := difftest.Open(ctx, name)
			if err != nil {
				return nil, err
			}
			if d == nil {
				return nil, usageErrorf("no device %s can be tested: there are gocpu, vector, emulated, cudaemu, cudaemu:check, gocpu:race, gocpu:simd, oclgrind, and opencl:0, cuda:0 and on", name)
			}
			list = append(list, d)
		}
	}
	if len(list) == 0 {
		return nil, usageErrorf("--devices %s: name a device beside the interpreter, with which it is compared", text)
	}
	return list, nil
}

// splitList reads a list with commas, without repetitions.
func splitList(text string) []string {
	var list []string
	for item := range strings.SplitSeq(text, ",") {
		if item != "" && !slices.Contains(list, item) {
			list = append(list, item)
		}
	}
	return list
}
