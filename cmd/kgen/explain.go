package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kgen-go/kgen"
	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/calibrate"
	"github.com/kgen-go/kgen/internal/explore"
	"github.com/kgen-go/kgen/internal/explore/page"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/internal/version"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// explainFormats are the forms of an explanation; the first is the default.
var explainFormats = []struct {
	name   string
	render func(*fuse.Explanation) ([]byte, error) // nil for the page, which has all levels
}{
	{"text", func(e *fuse.Explanation) ([]byte, error) { return []byte(e.Text()), nil }},
	{"json", (*fuse.Explanation).JSON},
	{"dot", func(e *fuse.Explanation) ([]byte, error) { return []byte(e.Dot()), nil }},
	{"html", nil},
}

type explainFlags struct {
	table.Flags
	level    string
	schedule string
	format   string
	rows     string
	dist     string
	device   string
	backend  string
	machine  string
	analyze  bool
}

func newExplain() *cobra.Command {
	var flags explainFlags
	var formats []string
	for _, f := range explainFormats {
		formats = append(formats, f.name)
	}
	c := &cobra.Command{
		Use:   "explain FILE.kg[#NAME]|-e TEXT",
		Short: "Show which operators share a kernel, and why",
		Long: `Explain shows the kernels that a fusion level makes of a pipeline: what is
computed in them, the bytes that they move, and for each pair of neighbouring
stages whether they share a kernel, what that saves, or why they do not. Bytes
and times are predictions for assumed lengths, which are shown too; --rows or
--in give the real ones. --analyze runs the pipeline once and prints what was
measured beside it.

Where results can be made in several ways, such as groups by bins, by a hash
table or by sorting, the data decides when the pipeline runs. The totals are
those of one way, which the explanation names: the one that lengths decide, else
the first, or with --analyze the one that was taken.

Backends have ways of their own: --backend explains another one than emitted Go,
predicted for the machine that kgen emit declares.

Levels: none (a kernel per stage), paper3 and paper2 (as published), onepass
(all that one grid-wide prefix allows), auto (the least predicted cost), or a
plan by hand: the stages of each kernel, kernels separated by |.

--format html is the page of kgen explore without measurements: every level,
with the emitted text.`,
		Example: `  kgen explain orders.kg --fuse paper2
  kgen explain orders.kg --fuse "mask partial offset | add aggregate"
  kgen explain orders.kg --rows n=6e6,g=1.5e6
  kgen explain orders.kg --in lineitem.parquet --analyze
  kgen explain sorted.kg --backend cuda
  kgen explain orders.kg --format html > orders.html
  kgen explain -e 'pipeline p(x: [n]i32) { return s: scan(add, x) }'
  kgen explain queries.kg#q6 --format dot | dot -Tsvg > q6.svg`,
		Args: arguments(1, 1, "one pipeline, FILE.kg or FILE.kg#NAME, or -e TEXT"),
		RunE: func(c *cobra.Command, args []string) error {
			for _, f := range explainFormats {
				if f.name == flags.format {
					return explain(c, args, &flags, f.render)
				}
			}
			return usageErrorf("unknown format %s; there are %s", flags.format, strings.Join(formats, ", "))
		},
	}
	f := c.Flags()
	f.StringVar(&flags.level, "fuse", "", build.LevelUsage)
	f.StringVar(&flags.schedule, "schedule", "", "the `SHAPE` of kernels, of which variant, groups and probe change what these read and write, as in variant=direct; strategies of groups are of work-groups")
	f.StringVar(&flags.format, "format", formats[0], "the `FORMAT`: "+strings.Join(formats, ", "))
	f.StringVar(&flags.rows, "rows", "", "the rows of domains, as in `n=6e6,g=1.5e6`, or of all parameters, as in 6e6, in place of assumed ones")
	f.StringArrayVarP(&flags.In, "in", "i", nil, "take lengths, and columns to analyze, from `[DOMAIN=]FILE`")
	f.StringArrayVar(&flags.Bind, "bind", nil, "bind a parameter to another column: `NAME=COLUMN`")
	f.StringArrayVar(&flags.Set, "set", nil, "set a scalar parameter: `NAME=VALUE`")
	f.BoolVar(&flags.analyze, "analyze", false, "run the pipeline and print what was measured")
	f.StringVar(&flags.dist, "dist", "", "the `DISTRIBUTION` of columns that --analyze generates (default auto)")
	f.StringVar(&flags.device, "device", defaultDevice, "the `DEVICE` to analyze on")
	f.StringVar(&flags.backend, "backend", defaultBackend, "the `BACKEND` to explain: "+strings.Join(build.EmitterNames(), ", "))
	machineFlag(c, &flags.machine, usualMachine)
	takeInline(c)
	takeReproducible(c)
	c.ValidArgsFunction = completePipeline
	var shapes []string
	for _, groups := range plan.GroupWays {
		shapes = append(shapes, "groups="+groups)
	}
	for _, v := range plan.Probes {
		shapes = append(shapes, "probe="+v)
	}
	for _, v := range plan.Variants {
		shapes = append(shapes, "variant="+v)
	}
	completeFlags(c, map[string]cobra.CompletionFunc{"fuse": completeLevel, "schedule": words(shapes...), "format": words(formats...), "in": completeIn, "bind": completeBind,
		"set": completeSet, "device": completeDevice, "backend": words(build.EmitterNames()...), "rows": cobra.NoFileCompletions, "dist": cobra.NoFileCompletions})
	return c
}

func explain(c *cobra.Command, args []string, flags *explainFlags, render func(*fuse.Explanation) ([]byte, error)) error {
	shape, err := build.ParseSchedule(flags.schedule)
	if err != nil {
		return err
	}
	if shape != (plan.Schedule{Variant: shape.Variant, Groups: shape.Groups, Probe: shape.Probe, Sources: shape.Sources}) {
		return usageErrorf("--schedule %s: variant, groups, probe and sources alone change what kernels read and write", flags.schedule)
	}
	if !flags.analyze && (flags.dist != "" || c.Flags().Changed("device")) {
		return usageErrorf("--dist and --device say how to analyze: add --analyze; --backend explains another backend")
	}
	if !slices.Contains(build.EmitterNames(), flags.backend) {
		return usageErrorf("unknown backend %s; there are %s", flags.backend, strings.Join(build.EmitterNames(), ", "))
	}
	if c.Flags().Changed("backend") && (flags.analyze || render == nil) {
		return usageErrorf("--backend: --analyze explains the backend of --device, and --format html all backends: leave it out")
	}
	if len(flags.In) > 0 && flags.rows != "" {
		return usageErrorf("--in has the lengths: leave out --rows")
	}
	source, pipeline, err := loadOne(c, args)
	if err != nil {
		return err
	}
	argument := inlineName
	if len(args) > 0 {
		argument = args[0]
	}
	e := &explaining{command: c, flags: flags, explored: &explored{argument, source, pipeline}}
	known, err := e.lengths()
	if err != nil {
		return err
	}
	switch {
	case render == nil && flags.analyze:
		return usageErrorf("--format html --analyze: kgen explore --out FILE.html makes the page with measurements")
	case render == nil:
		return e.writePage(known)
	case flags.analyze:
		return e.analyze(known, render)
	}
	backend := flags.backend
	var costs *calibrated
	if backend == defaultBackend || flags.machine != "" {
		if costs, err = e.costs(); err != nil {
			return err
		}
	}
	if shape.GroupStrategy() != "" && !c.Flags().Changed("backend") {
		backend = "" // any of work-groups
	}
	_, program, err := build.CompileOver(source, pipeline, known, costs.orZero(), backend, flags.level, shape)
	if err != nil {
		return err
	}
	explanation, err := program.ExplainKnowing(fuse.Known{Lengths: known})
	if err != nil {
		return err
	}
	text, err := render(explanation)
	if err != nil {
		return err
	}
	_, err = c.OutOrStdout().Write(text)
	return err
}

// explaining is a pipeline to explain.
type explaining struct {
	*explored
	command *cobra.Command
	flags   *explainFlags
}

// lengths returns the rows of domains that --rows gives or the files of --in have, nil
// if none are given.
func (e *explaining) lengths() (map[string]int64, error) {
	known := map[string]int64{}
	if len(e.flags.In) > 0 {
		binding, err := table.Bind(e.pipeline, e.flags.Flags)
		if err != nil {
			return nil, &usageError{Err: err}
		}
		extents, err := binding.Extents(table.NewSource(e.command.Context(), e.command.InOrStdin()))
		if err != nil {
			return nil, err
		}
		for i, v := range e.pipeline.Params {
			if v.Type.Domain != nil && extents[i].Rows > 0 { // a file of text does not say it before it is read
				known[v.Type.Domain.Name] = extents[i].Rows
			}
		}
		if len(known) == 0 && !e.flags.analyze {
			space := memory.NewSpace(0)
			defer space.Close()
			in, err := readColumns(e.command, binding, space, func([]table.Extent) error { return nil })
			if err != nil {
				return nil, err
			}
			for i, extent := range table.Extents(e.pipeline, in) {
				if d := e.pipeline.Params[i].Type.Domain; d != nil {
					known[d.Name] = extent.Rows
				}
			}
		}
		return known, nil
	}
	var names []string
	for _, d := range e.pipeline.Domains {
		if d.Name != "" {
			names = append(names, d.Name)
		}
	}
	for _, item := range splitList(e.flags.rows) {
		name, text, named := strings.Cut(item, "=")
		if !named {
			name, text = "", item
		}
		var n count
		if err := n.Set(text); err != nil {
			return nil, usageErrorf("--rows %s: %w", item, err)
		}
		if named && !slices.Contains(names, name) {
			return nil, usageErrorf("--rows %s: pipeline %s has no domain %s; it has %s", item, e.pipeline.Name, name, strings.Join(names, ", "))
		}
		for _, d := range e.pipeline.Domains {
			if named && d.Name == name || !named && d.Kind == ir.DomainParam {
				known[d.Name] = int64(n)
			}
		}
	}
	if len(known) == 0 {
		return nil, nil
	}
	return known, nil
}

// writePage writes the page of all levels.
func (e *explaining) writePage(known map[string]int64) error {
	h := explore.NewHeader()
	h.Kgen, h.Reference = version.Kgen(), "nothing"
	p := &page.Page{Title: "Fusion of " + e.pipeline.Name, Report: &explore.Report{Header: h}, Pipelines: []page.Pipeline{e.forPage()}}
	_, machine := profileOf(false)
	costs, err := e.costs()
	if err != nil {
		return err
	}
	if costs != nil {
		machine = costs.machine
	}
	levels := fuse.Levels
	if e.flags.level != "" && !slices.Contains(levels, e.flags.level) {
		levels = append(slices.Clone(levels), e.flags.level)
	}
	for _, level := range levels {
		for _, one := range build.Emitters {
			p.Plans = append(p.Plans, e.planForPage(planRequest{device: one.Name(), backend: one.Name(), machine: machine, deciding: costs.orZero(), level: level, schedule: e.flags.schedule, known: fuse.Known{Lengths: known}}))
		}
	}
	return p.Write(e.command.OutOrStdout())
}

// costs returns the machine whose rates predict, nil for the declared one: what kgen run
// takes on its usual device.
func (e *explaining) costs() (*calibrated, error) {
	if e.flags.machine == "" && !calibrate.Any() {
		return nil, nil
	}
	device, err := kgen.Open(e.command.Context(), defaultDevice)
	if err != nil {
		return nil, err
	}
	defer device.Close()
	costs, err := costsOf(e.command.Context(), e.flags.machine, device)
	var missing *kgen.NoToolchainError
	if errors.As(err, &missing) { // nothing was measured without one
		return nil, nil
	}
	return costs, err
}

// analyze runs the pipeline and prints what was measured beside the explanation.
func (e *explaining) analyze(known map[string]int64, render func(*fuse.Explanation) ([]byte, error)) error {
	c := e.command
	waiting := newWaiting(c.ErrOrStderr())
	defer waiting.end()
	flags := &exploreFlags{Flags: e.flags.Flags, seed: 1}
	runner := &exploreRunner{command: c, flags: flags, pipelines: map[string]*explored{e.argument: e.explored}, devices: map[string]exploreDevice{}, space: memory.NewSpace(0), waiting: waiting}
	defer runner.close()
	device, err := openExploreDevice(c.Context(), e.flags.device, e.flags.machine, runner.space, waiting)
	if err != nil {
		return err
	}
	runner.devices[e.flags.device] = device
	set := explore.DataSet{Pipeline: e.argument, Data: explore.FromFiles}
	if len(e.flags.In) == 0 {
		set.Data, set.Rows = "auto", fuse.AssumedRows
		if e.flags.dist != "" {
			set.Data = e.flags.dist
		}
		for _, d := range e.pipeline.Domains {
			if rows, ok := known[d.Name]; ok && d.Kind == ir.DomainParam {
				set.Rows = rows
			}
		}
	}
	data, err := runner.Open(c.Context(), set)
	if err != nil {
		return err
	}
	defer data.Close()
	level := e.flags.level
	if level == "" {
		level = fuse.LevelAuto
	}
	configuration := explore.Configuration{Pipeline: e.argument, Data: set.Data, Rows: data.Rows(), Device: e.flags.device, Level: level}
	if device.shaped() || e.flags.schedule == "" {
		configuration.Schedule = e.flags.schedule
	}
	program, err := data.Prepare(c.Context(), configuration, nil)
	if err != nil {
		return err
	}
	defer program.Close()
	waiting.on("running " + e.pipeline.Name)
	out, err := program.Run(c.Context(), analyzeRepeat)
	waiting.on("")
	if err != nil {
		return err
	}
	if difference := data.Differ(out.Columns, nil); difference != "" {
		return fmt.Errorf("the result of %s is not that of the interpreter: %s", e.flags.device, difference)
	}
	run := program.(*exploreRun)
	explanation, err := run.explain(out)
	if err != nil {
		return err
	}
	text, err := render(explanation)
	if err != nil {
		return err
	}
	if _, err := c.OutOrStdout().Write(text); err != nil || !strings.HasPrefix(string(text), "pipeline ") {
		return err
	}
	return writeAnalysis(c.OutOrStdout(), run, configuration, explanation, out)
}

// analyzeRepeat is how often the pipeline runs, so that times are not those of memory
// that is touched for the first time.
const analyzeRepeat = 5

// writeAnalysis writes measured beside predicted rows, bytes and times.
func writeAnalysis(w io.Writer, run *exploreRun, c explore.Configuration, e *fuse.Explanation, out *explore.Outcome) error {
	assumed, err := run.fused.Explain()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\nanalyzed on %s over %s rows, %s; medians of %d runs\n\n", c.Device, explore.Count(c.Rows), explore.DataText(c.Data), analyzeRepeat)
	rows := [][]string{{"domain", "assumed", "measured"}}
	lengths := run.data.lengths(out.Columns)
	for i, a := range e.Assumed {
		if n, ok := lengths[a.Domain]; ok { // those of parameters and results
			rows = append(rows, []string{a.Domain, explore.Count(assumed.Assumed[i].Rows), explore.Count(n)})
		}
	}
	explore.WriteTable(w, rows)
	rows = [][]string{{"kernel", "stages", "bytes assumed", "bytes", "predicted", "measured", "GB/s"}}
	line := func(name, stages string, before, bytes int64, predicted, measured float64) {
		rate := ""
		if measured > 0 {
			rate = fmt.Sprintf("%.1f", float64(bytes)/measured)
		}
		rows = append(rows, []string{name, stages, explore.Bytes(before), explore.Bytes(bytes), explore.Nanoseconds(predicted), explore.Nanoseconds(measured), rate})
	}
	for i, k := range e.Kernels {
		if k.Idle {
			continue
		}
		stages := strings.Join(k.Stages, " ")
		if len(stages) > 48 {
			stages = fmt.Sprintf("%.40s... (%d)", stages, len(k.Stages))
		}
		line(k.Name, stages, assumed.Kernels[i].Bytes, k.Bytes, k.Predicted, explore.Summarize(out.Launches[k.Name]).Median)
	}
	line("all", "", assumed.Total.Bytes, e.Total.Bytes, e.Total.Predicted, explore.Summarize(out.Samples).Median)
	fmt.Fprintln(w)
	return explore.WriteTable(w, rows)
}
