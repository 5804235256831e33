package main

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/difftest/random"
	"github.com/kgen-go/kgen/internal/explore"
	"github.com/kgen-go/kgen/internal/explore/columns"
	"github.com/kgen-go/kgen/internal/version"
)

// newExploration reads arguments, flags and the sweep file. Flags come before the
// file.
func newExploration(c *cobra.Command, args []string, flags *exploreFlags) (*exploration, error) {
	x := &exploration{flags: flags, json: flags.json, reproducible: isReproducible(c)}
	folder := ""
	if flags.random != 0 && (!flags.choices || flags.random < 0) {
		return nil, usageErrorf("--random %d: a number of programs above 0, with --choices", flags.random)
	}
	if len(args) > 0 && !flags.choices {
		if info, err := os.Stat(args[0]); err == nil && info.IsDir() {
			folder = args[0]
			if flags.sweepFile == "" {
				flags.sweepFile = filepath.Join(folder, explore.SweepFileName)
			}
		}
	}
	experiments := []*explore.Experiment{{}}
	if flags.sweepFile != "" {
		text, err := os.ReadFile(flags.sweepFile)
		if folder != "" && errors.Is(err, os.ErrNotExist) {
			return nil, usageErrorf("%s is a folder without %s: give a pipeline, FILE.kg", folder, explore.SweepFileName)
		}
		if err != nil {
			return nil, err
		}
		if experiments, err = explore.ParseSweepFile(flags.sweepFile, text, flags.quick); err != nil {
			return nil, err
		}
	}
	if err := x.takeCommon(c, experiments[0].Values); err != nil {
		return nil, err
	}
	for _, e := range experiments {
		g := explore.Grid{Title: e.Title}
		if err := x.takePipelines(c, args, folder, e, &g); err != nil {
			return nil, err
		}
		if err := x.takeGrid(c, e, &g); err != nil {
			return nil, err
		}
		x.grids = append(x.grids, g)
	}
	if flags.measure < 0 || flags.measure == 0 && c.Flags().Changed("measure") {
		return nil, usageErrorf("--measure %v: a time above 0 is needed", flags.measure)
	}
	if err := flags.checkOut(); err != nil {
		return nil, err
	}
	if flags.out != "" && x.json == "" {
		x.json = jsonBeside(flags.out)
	}
	return x, nil
}

// checkOut returns an error unless the name of the file to write fits what it has.
func (f *exploreFlags) checkOut() error {
	switch extension := filepath.Ext(f.out); {
	case f.out == "":
	case f.choices && extension != ".svg":
		return usageErrorf("--out %s: with --choices it is a picture, as in choices.svg", f.out)
	case !f.choices && extension != ".html":
		return usageErrorf("--out %s: the page is a file of HTML, as in report.html", f.out)
	}
	return nil
}

// takeCommon reads what holds for all experiments of a sweep file.
func (x *exploration) takeCommon(c *cobra.Command, values map[string][]string) error {
	flags := x.flags
	flags.Set = append(slices.Clone(values[explore.KeySet]), flags.Set...)
	if list := values[explore.KeyMeasure]; len(list) > 0 && !c.Flags().Changed("measure") {
		var err error
		if flags.measure, err = time.ParseDuration(list[0]); err != nil || flags.measure <= 0 || len(list) > 1 {
			return usageErrorf("%s: %s = %s: one time above 0 is needed, as in 500ms", flags.sweepFile, explore.KeyMeasure, strings.Join(list, ", "))
		}
	}
	if len(flags.In) == 0 && flags.rows == "" {
		for _, path := range values[explore.KeyIn] {
			domain, name, named := strings.Cut(path, "=")
			if !named {
				domain, name = "", path
			}
			name = filepath.Join(filepath.Dir(flags.sweepFile), filepath.FromSlash(name))
			if named {
				name = domain + "=" + name
			}
			flags.In = append(flags.In, name)
		}
	}
	return nil
}

// takePipelines loads the pipelines that an experiment names.
func (x *exploration) takePipelines(c *cobra.Command, args []string, folder string, file *explore.Experiment, g *explore.Grid) error {
	if x.flags.choices {
		return x.takeMany(c, args, g)
	}
	add := func(argument string, load func() (*source, error)) error {
		g.Pipelines = append(g.Pipelines, argument)
		if slices.ContainsFunc(x.pipelines, func(p *explored) bool { return p.argument == argument }) {
			return nil // of another experiment, too
		}
		s, err := load()
		if err != nil {
			return err
		}
		if len(s.Pipelines) != 1 {
			return usageErrorf("%s has the pipelines %s: choose one, as in %[1]s#%s", argument, pipelineNames(s.Pipelines), s.Pipelines[0].Name)
		}
		x.pipelines = append(x.pipelines, &explored{argument, s, s.Pipelines[0]})
		return nil
	}
	if folder == "" {
		argument := inlineName
		if len(args) > 0 {
			argument = args[0]
		}
		return add(argument, func() (*source, error) { return loadAll(c, args) })
	}
	names := file.Values[explore.KeyPipeline]
	if len(names) == 0 {
		return usageErrorf("%s names no pipeline: write %s = FILE.kg", experimentName(x.flags.sweepFile, file), explore.KeyPipeline)
	}
	for _, name := range names {
		argument := filepath.Join(folder, filepath.FromSlash(name))
		if err := add(argument, func() (*source, error) { return loadFile(argument, isReproducible(c), c.ErrOrStderr()) }); err != nil {
			return err
		}
	}
	return nil
}

// randomName begins the names of programs by chance; the seed and a number follow, so that logs of several seeds can be judged together.
const randomName = "random#"

// takeMany loads all pipelines of files and folders, and makes programs by chance.
func (x *exploration) takeMany(c *cobra.Command, args []string, g *explore.Grid) error {
	for _, arg := range args {
		paths := []string{arg}
		if _, name := splitName(arg); name == "" {
			var err error
			if paths, err = sourceFiles(paths); err != nil {
				return err
			}
		}
		for _, path := range paths {
			s, err := loadFile(path, isReproducible(c), io.Discard)
			if err != nil {
				return err
			}
			for _, p := range s.Pipelines {
				argument := path
				if len(s.Pipelines) > 1 {
					argument += "#" + p.Name
				}
				x.pipelines = append(x.pipelines, &explored{argument, s, p})
			}
		}
	}
	for n := range x.flags.random {
		name := fmt.Sprintf("%s%d.%d", randomName, x.flags.seed, n)
		s, err := loadText(name, "", []byte(random.Source(x.flags.seed, n, random.Options{})), isReproducible(c), io.Discard)
		if err != nil {
			return err
		}
		x.pipelines = append(x.pipelines, &explored{name, s, s.Pipelines[0]})
	}
	for _, p := range x.pipelines {
		g.Pipelines = append(g.Pipelines, p.argument)
	}
	if len(x.pipelines) == 0 {
		return usageErrorf("--choices: name files or folders of pipelines, or add --random N")
	}
	return nil
}

// experimentName names an experiment for messages.
func experimentName(path string, e *explore.Experiment) string {
	if e.Title == "" {
		return path
	}
	return path + " [" + e.Title + "]"
}

// takeGrid reads what is to be combined.
func (x *exploration) takeGrid(c *cobra.Command, file *explore.Experiment, g *explore.Grid) error {
	flags := x.flags
	listOf := func(key, flag, value string) []string {
		if list := file.Values[key]; len(list) > 0 && !c.Flags().Changed(flag) {
			return list
		}
		return splitList(value)
	}
	g.Devices = listOf(explore.KeyDevice, "devices", flags.devices)
	g.Levels = listOf(explore.KeyLevel, "levels", flags.levels)
	if len(g.Levels) == 0 {
		g.Levels = defaultLevels
	}
	if flags.choices { // what is judged comes first, so that others are left out as alike
		g.Levels = slices.Clone(g.Levels)
		if i := slices.Index(g.Levels, fuse.LevelAuto); i > 0 {
			g.Levels[0], g.Levels[i] = g.Levels[i], g.Levels[0]
		}
	}
	if len(g.Devices) == 0 {
		return usageErrorf("--devices: name a device, as in gocpu")
	}
	if err := x.takeData(file, g); err != nil {
		return err
	}
	if flags.choices {
		g.Control = fuse.LevelAuto
	}
	g.Schedules = flags.schedules
	if len(g.Schedules) == 0 && flags.choices { // so that schemes are compared, too
		g.Schedules = []string{"", "scheme=published"}
	}
	if len(g.Schedules) == 0 {
		g.Schedules = file.Values[explore.KeySchedule]
	}
	var err error
	if g.Sweeps, err = file.Sweeps(isSetting); err != nil {
		return err
	}
	for _, text := range flags.sweeps {
		s, err := explore.ParseSweep(text)
		if err != nil {
			return usageErrorf("--sweep %w", err)
		}
		if !isSetting(s.Key) {
			return usageErrorf("--sweep %s: there is no setting %s of --schedule", text, s.Key)
		}
		g.Sweeps = slices.DeleteFunc(g.Sweeps, func(other explore.Sweep) bool { return other.Key == s.Key })
		g.Sweeps = append(g.Sweeps, s)
	}
	for _, s := range g.Sweeps { // a value by itself, without the rules between settings
		for _, value := range s.Values {
			if value == explore.Default || s.Key == "lookahead" || s.Key == "ring" || s.Key == "ids" || s.Key == "offsets" || s.Key == "chunk" {
				continue
			}
			if _, err := build.ParseSchedule(s.Key + "=" + value); err != nil {
				return err
			}
		}
	}
	for _, schedule := range g.Schedules {
		if _, err := build.ParseSchedule(schedule); err != nil {
			return err
		}
	}
	return nil
}

// takeData reads where columns come from.
func (x *exploration) takeData(file *explore.Experiment, g *explore.Grid) error {
	flags := x.flags
	rows := splitList(flags.rows)
	if len(rows) == 0 {
		rows = file.Values[explore.KeyRows]
	}
	var dist []string
	for _, text := range flags.dist {
		dist = append(dist, splitList(text)...)
	}
	if len(dist) == 0 {
		dist = file.Values[explore.KeyDist]
	}
	if len(flags.In) > 0 {
		if flags.rows != "" || len(flags.dist) > 0 {
			return usageErrorf("--in reads columns: leave out --rows and --dist, which generate them")
		}
		g.Data = []string{explore.FromFiles}
		return nil
	}
	if len(flags.Bind) > 0 {
		return usageErrorf("--bind chooses columns of files: add --in FILE")
	}
	for _, text := range rows {
		var n count
		if err := n.Set(text); err != nil {
			return usageErrorf("--rows %s: %w", text, err)
		}
		g.Rows = append(g.Rows, int64(n))
	}
	if len(g.Rows) == 0 {
		g.Rows = []int64{exploreRows}
		if flags.quick {
			g.Rows = []int64{quickRows}
		}
	}
	if len(dist) == 0 {
		dist = []string{columns.Automatic}
	}
	for _, text := range dist {
		if _, err := columns.Parse(text); err != nil {
			return usageErrorf("--dist %w", err)
		}
	}
	g.Data = dist
	return nil
}

// devices lists the devices of all experiments.
func (x *exploration) devices() (names []string) {
	for _, g := range x.grids {
		for _, name := range g.Devices {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// isSetting reports whether a schedule has a setting.
func isSetting(key string) bool {
	return slices.ContainsFunc(build.CompleteSchedule(""), func(text string) bool { return strings.HasPrefix(text, key+"=") })
}

// header says what the report is about.
func (x *exploration) header() explore.Header {
	h := explore.NewHeader()
	h.Kgen, h.Begun, h.Grids = version.Kgen(), time.Now().UTC().Truncate(time.Second), x.grids
	h.Machine = fmt.Sprintf("%s/%s, %d cores", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	h.Reference = "the interpreter"
	if slices.ContainsFunc(x.grids, func(g explore.Grid) bool {
		return slices.ContainsFunc(g.Rows, func(n int64) bool { return n > x.flags.mostInterpreted() })
	}) {
		h.Reference += " or, over more than " + explore.Count(x.flags.mostInterpreted()) + " rows, with each other"
	}
	h.Limits = explore.Limits{Width: 0.02, Least: 10, Time: x.flags.measure}
	if x.flags.quick {
		h.Limits.Time = cmp.Or(h.Limits.Time, quickMeasure)
	}
	h.Limits.Time = cmp.Or(h.Limits.Time, exploreMeasure)
	for _, p := range x.pipelines {
		h.Inputs[p.argument] = fmt.Sprintf("%x", sha256.Sum256([]byte(p.pipeline.String())))[:16]
	}
	h.Inputs["--seed"] = strconv.FormatUint(x.flags.seed, 10)
	h.Inputs["--set"] = strings.Join(x.flags.Set, " ")
	h.Inputs["--"+processorTimeFlag] = strconv.FormatBool(x.flags.processorTime)
	h.Inputs["--bind"] = strings.Join(x.flags.Bind, " ")
	for _, in := range x.flags.In {
		path := in
		if _, after, named := strings.Cut(in, "="); named {
			path = after
		}
		if info, err := os.Stat(path); err == nil {
			h.Inputs["--in "+in] = fmt.Sprintf("%d bytes of %s", info.Size(), info.ModTime().UTC().Format(time.RFC3339))
		}
	}
	return h
}
