package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kgen-go/kgen/internal/explore"
	"github.com/kgen-go/kgen/internal/explore/columns"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/internal/tune"
)

type tuneFlags struct {
	exploreFlags
	device   string
	search   string
	delta    float64
	most     int
	measured time.Duration
	with     []string
	file     string
	page     string
	asJSON   bool
	penalty  bool
}

// tuneMeasure is the time for which a configuration is measured at most, unless the user
// says.
const tuneMeasure = time.Second

func newTune() *cobra.Command {
	var flags tuneFlags
	var searches []string
	for _, s := range tune.Searches {
		searches = append(searches, s.Name)
	}
	c := &cobra.Command{
		Use:   "tune FILE.kg[#NAME]|-e TEXT",
		Short: "Search the settings with which a pipeline is fastest on a device",
		Long: `Tune searches the settings of --schedule, on gocpu the fusion levels, with which
a pipeline runs fastest over columns of files or generated ones. It follows the
times of neighbouring configurations down to a minimum, along each path where
neighbours differ by less than --delta, and gives up paths that are slower than
the fastest so far. --search full tries all, --search random a part of them, and
--search gradient,full says how far the first is from the best of all. Every
configuration's results are compared with the interpreter's.

What was measured is kept in a file with all samples, by device, driver, program
and data. kgen run --tuned FILE and kgen emit --tuned FILE take their settings
from it, and say where a use is not what was measured. After Ctrl-C the file has
what was measured; --resume goes on.

--penalty compares files: how much slower a pipeline is on one device with the
settings that were tuned on another. --with FILE also tries what was best there.

Settings that change nothing in the kernels are left out; --sweep chooses others
or other values. --rows and --dist may be lists: each of them is tuned.`,
		Example: `  kgen tune hash.kg#sums --device opencl:0 --rows 1e6 --search gradient,full
  kgen tune hash.kg#sums --device cuda:0 --dist g=uniform:values=1000
  kgen tune orders.kg --in lineitem.parquet --sweep items=2,4,8,16
  kgen run orders.kg --in lineitem.parquet --tuned orders.tuned.json
  kgen tune --penalty gpu.tuned.json cpu.tuned.json`,
		Args: func(c *cobra.Command, args []string) error {
			if flags.penalty {
				return arguments(1, -1, "files of kgen tune")(c, args)
			}
			return arguments(1, 1, "one pipeline, FILE.kg or FILE.kg#NAME, or -e TEXT")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if flags.penalty {
				return printPenalties(c, args, flags.asJSON)
			}
			return runTune(c, args, &flags)
		},
	}
	f := c.Flags()
	f.StringArrayVarP(&flags.In, "in", "i", nil, "read columns from `[DOMAIN=]FILE`")
	f.StringArrayVar(&flags.Bind, "bind", nil, "bind a parameter to another column: `NAME=COLUMN`")
	f.StringArrayVar(&flags.Set, "set", nil, "set a scalar parameter: `NAME=VALUE`")
	f.StringVar(&flags.rows, "rows", "", "generate columns of `N` rows; each of a list is tuned (default 1048576)")
	f.StringArrayVar(&flags.dist, "dist", nil, "the `DISTRIBUTIONS` of generated columns, as of kgen explore (default auto)")
	f.Uint64Var(&flags.seed, "seed", 1, "the `SEED` of generated columns, and of --search random")
	f.StringVar(&flags.device, "device", defaultDevice, "the `DEVICE` to tune for; kgen devices lists them")
	f.StringVar(&flags.levels, "levels", "", "the fusion `LEVELS`, or plans by hand, to try (default auto; on gocpu all)")
	f.StringArrayVar(&flags.sweeps, "sweep", nil, "try these values of a setting, as in `items=4,8,16`; - is what kgen chooses; one value keeps it")
	f.StringVar(&flags.search, "search", searches[0], "the `SEARCHES`, in order: "+strings.Join(searches, ", "))
	f.Float64Var(&flags.delta, "delta", tune.DefaultDelta, "the `FRACTION` of time up to which configurations are alike")
	f.IntVar(&flags.most, "most", 0, "let each search try `N` configurations at most (default for gradient 15 % of the space, and at least 24; for random as many as that; for full all)")
	f.DurationVar(&flags.measured, "measure", tuneMeasure, "measure each configuration for at most `TIME`")
	f.StringArrayVar(&flags.with, "with", nil, "also try what `FILE` has as best for this program and data")
	f.StringVarP(&flags.file, "out", "o", "", "the `FILE` of results, to which other entries are added (default NAME.tuned.json)")
	f.StringVar(&flags.page, "page", "", "write what was tried as a page of kgen explore, with the path of the search on its heat maps, to `FILE.html`")
	f.BoolVar(&flags.resume, "resume", false, "take what the file has of these configurations as measured")
	f.StringVar(&flags.lock, "lock", "", "run nothing while another process that names `FILE` runs something, so that several share a device")
	f.BoolVar(&flags.asJSON, "json", false, "print JSON")
	f.BoolVar(&flags.penalty, "penalty", false, "compare files of kgen tune: settings tuned on one device, run on another")
	machineFlag(c, &flags.machine, usualMachine)
	takeInline(c)
	takeReproducible(c)
	c.ValidArgsFunction = completePipeline
	completeFlags(c, map[string]cobra.CompletionFunc{"in": completeIn, "bind": completeBind, "set": completeSet, "rows": cobra.NoFileCompletions,
		"dist": words(columns.Kinds()...), "device": completeDevice, "levels": completeLevel, "sweep": completeSchedule, "search": words(searches...),
		"delta": cobra.NoFileCompletions, "most": cobra.NoFileCompletions, "measure": cobra.NoFileCompletions, "seed": cobra.NoFileCompletions})
	return c
}

// printPenalties compares files.
func printPenalties(c *cobra.Command, paths []string, asJSON bool) error {
	var files []*tune.File
	for _, path := range paths {
		f, err := tune.Read(path)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	list := tune.Penalties(files)
	if asJSON {
		return writeJSON(c.OutOrStdout(), map[string]any{"penalties": list})
	}
	for i, m := range list {
		if i > 0 {
			fmt.Fprintln(c.OutOrStdout())
		}
		if err := m.WriteText(c.OutOrStdout()); err != nil {
			return err
		}
	}
	return nil
}

// parseSearches reads --search.
func parseSearches(text string) (list []tune.Search, err error) {
	var names []string
	for _, s := range tune.Searches {
		names = append(names, s.Name)
	}
	for _, name := range splitList(text) {
		i := slices.Index(names, name)
		if i < 0 {
			return nil, usageErrorf("--search %s: there are %s", name, strings.Join(names, ", "))
		}
		list = append(list, tune.Searches[i])
	}
	if len(list) == 0 {
		return nil, usageErrorf("--search: name one of %s", strings.Join(names, ", "))
	}
	return list, nil
}

// tuning is what is to be tuned, and where.
type tuning struct {
	flags    *tuneFlags
	searches []tune.Search
	runner   *exploreRunner
	device   *exploring
	identity tune.Device
	pipeline *explored
	space    tune.Space
	start    tune.Point
	file     *tune.File
	with     []*tune.File
	command  func(explore.Configuration) string
	header   explore.Header
}

// runTune tunes over each set of columns.
func runTune(c *cobra.Command, args []string, flags *tuneFlags) error {
	t := &tuning{flags: flags}
	var err error
	if t.searches, err = parseSearches(flags.search); err != nil {
		return err
	}
	if flags.delta < 0 || flags.delta >= 1 || flags.most < 0 || flags.measured <= 0 {
		return usageErrorf("--delta %v, --most %d, --measure %v: a fraction below 1, a number of at least 0 and a time above 0 are needed", flags.delta, flags.most, flags.measured)
	}
	if flags.page != "" && filepath.Ext(flags.page) != ".html" {
		return usageErrorf("--page %s: the page is a file of HTML, as in tuned.html", flags.page)
	}
	for _, path := range flags.with {
		other, err := tune.Read(path)
		if err != nil {
			return err
		}
		t.with = append(t.with, other)
	}
	levels, sweeps := flags.levels, flags.sweeps
	flags.exploreFlags.devices, flags.exploreFlags.measure = flags.device, flags.measured
	x, err := newExploration(c, args, &flags.exploreFlags)
	if err != nil {
		return err
	}
	t.pipeline, t.command, t.header = x.pipelines[0], x.command, x.header()
	grid := x.grids[0]
	if flags.file == "" {
		flags.file = t.pipeline.pipeline.Name + ".tuned.json"
	}
	if t.file, err = tune.ReadOrNew(flags.file); err != nil {
		return err
	}
	waiting := newWaiting(c.ErrOrStderr())
	defer waiting.end()
	t.runner = &exploreRunner{command: c, flags: &flags.exploreFlags, pipelines: map[string]*explored{t.pipeline.argument: t.pipeline}, devices: map[string]exploreDevice{}, space: memory.NewSpace(0), waiting: waiting}
	defer t.runner.close()
	if t.device, err = openExploreDevice(c.Context(), flags.device, flags.machine, t.runner.space, waiting); err != nil {
		return err
	}
	t.runner.devices[flags.device] = t.device
	if !t.device.repeats {
		return usageErrorf("device %s emulates another: its times say nothing, so there is nothing to tune", flags.device)
	}
	if t.identity, err = t.device.identify(c.Context()); err != nil {
		return err
	}
	if err := t.chooseSpace(splitList(levels), sweeps, grid.Sweeps); err != nil {
		return err
	}
	rows := grid.Rows
	if len(rows) == 0 {
		rows = []int64{0}
	}
	var entries []*tune.Entry
	defer func() {
		if c.Context().Err() != nil && len(entries) > 0 {
			fmt.Fprintf(c.ErrOrStderr(), "kgen: %s has what was measured; --resume goes on\n", flags.file)
		}
	}()
	for _, n := range rows {
		for _, data := range grid.Data {
			e, err := t.tune(c.Context(), explore.DataSet{Pipeline: t.pipeline.argument, Data: data, Rows: n})
			waiting.on("")
			if e != nil {
				entries = append(entries, e)
				t.file.Set(*e)
				err = errors.Join(err, t.file.Write(context.WithoutCancel(c.Context()), flags.file))
			}
			if err != nil {
				return err
			}
			if !flags.asJSON {
				if err := e.WriteText(c.OutOrStdout()); err != nil {
					return err
				}
			}
		}
	}
	if flags.asJSON {
		err = writeJSON(c.OutOrStdout(), map[string]any{"tuned": entries})
	} else {
		err = tune.WriteSummary(c.OutOrStdout(), entries)
		fmt.Fprintf(c.ErrOrStderr(), "kgen: wrote %s\n", flags.file)
	}
	if flags.page != "" {
		err = errors.Join(err, t.writePage(c.Context(), entries))
	}
	if err == nil && slices.ContainsFunc(entries, (*tune.Entry).Wrong) {
		return errReported
	}
	return err
}
