package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kgen-go/kgen"
	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/internal/tune"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// runJob is a run of a pipeline over columns of files.
type runJob struct {
	command  *cobra.Command
	flags    runFlags
	source   *build.Source
	pipeline *ir.Pipeline
	binding  *table.Binding
	limit    int64
	tuned    *tune.File // nil for none
	waiting  *waiting
	clock    *clock
	over     string // the domain that is in shards; "" is all
	rows     int64  // of a shard; 0 for a run over all at once

	device *kgen.Device // nil before it is open
	in     []ir.Column  // nil before they are read
}

// close closes the device, in whose space results may lie.
func (j *runJob) close() {
	if j.device != nil {
		j.device.Close()
	}
}

// open opens the device of the flags and prepares it. If that is the default, and needs a
// toolchain that is not there, another device takes its place.
func (j *runJob) open(prepare func(settings ...kgen.Setting) error) error {
	err := j.openOne(j.flags.device, prepare)
	var missing *kgen.NoToolchainError
	if errors.As(err, &missing) && !j.command.Flags().Changed("device") {
		fmt.Fprintf(j.command.ErrOrStderr(), "kgen: %v: running on device %s, which compiles nothing and takes one core\n", missing, deviceWithoutGo)
		j.close()
		err = j.openOne(deviceWithoutGo, prepare)
	}
	return err
}

func (j *runJob) openOne(name string, prepare func(settings ...kgen.Setting) error) (err error) {
	ctx := j.command.Context()
	if j.device, err = kgen.Open(ctx, name, kgen.MemoryLimit(j.limit), kgen.TimeLimit(j.flags.timeout), kgen.Waiting(j.waiting.on)); err != nil {
		return err
	}
	if j.tuned != nil {
		if err := j.choose(); err != nil {
			return err
		}
	}
	costs, err := costsOf(ctx, j.flags.machine, j.device)
	if err != nil {
		return err
	}
	return prepare(kgen.Level(j.flags.level), kgen.Schedule(j.flags.schedule), kgen.Workers(j.flags.workers), kgen.CostsOf(costs.orZero()))
}

// choose takes settings that were tuned: the data decides between them.
func (j *runJob) choose() error {
	use, err := tunedUse(j.command.Context(), j.device, j.pipeline)
	if err != nil {
		return err
	}
	if err := j.read(func([]table.Extent) error { return nil }); err != nil {
		return err
	}
	class := tune.ClassOf(j.pipeline, j.in)
	use.Class = &class
	chosen, err := chooseTuned(j.command, j.flags.tuned, j.tuned, use)
	j.flags.level, j.flags.schedule = chosen.Level, chosen.Schedule
	return err
}

func (j *runJob) read(check func([]table.Extent) error) (err error) {
	j.in, err = readColumns(j.command, j.binding, j.device.Space(), check)
	return err
}

// readWithin reads the columns, if they are not there, and holds them to the limit of memory.
func (j *runJob) readWithin(footprint func([]table.Extent) plan.Footprint) ([]table.Extent, error) {
	check := func(extents []table.Extent) error {
		return checkLimit(j.pipeline.Name, footprint(extents), j.limit)
	}
	if j.in == nil {
		if err := j.read(check); err != nil {
			return nil, err
		}
	}
	extents := table.Extents(j.pipeline, j.in)
	j.clock.end("read")
	return extents, check(extents)
}

// whole runs over all rows at once. It returns the results, and what the columns are like.
func (j *runJob) whole() (r report, extents []table.Extent, err error) {
	ctx := j.command.Context()
	var program *kgen.Executable
	if err := j.open(func(settings ...kgen.Setting) (err error) {
		program, err = kgen.Of(j.source, j.pipeline).On(ctx, j.device, settings...)
		return err
	}); err != nil {
		return r, nil, err
	}
	j.clock.add("emit", program.Compiled())
	if extents, err = j.readWithin(func(extents []table.Extent) plan.Footprint {
		return program.Footprint(sizes(j.pipeline, extents))
	}); err != nil {
		return r, nil, err
	}
	j.waiting.on("running " + j.pipeline.Name)
	options := []kgen.RunOption{kgen.Repeat(j.flags.repeat), kgen.Consume()}
	if j.flags.time || j.flags.json {
		options = append(options, kgen.Trace())
	}
	columns, done, err := program.RunColumns(ctx, j.in, options...)
	j.waiting.on("")
	if err != nil {
		return r, nil, err
	}
	j.clock.add("start", done.Steps)
	for _, note := range done.Notes {
		fmt.Fprintln(j.command.ErrOrStderr(), "kgen:", note)
	}
	r = report{Pipeline: j.pipeline.Name, Device: j.device.Name(), Level: done.Level, Plan: kernelsOf(done.Kernels),
		Results: table.Results(j.pipeline, columns), Times: done.Times}
	for _, s := range done.Steps {
		r.Elapsed += s.Elapsed.Nanoseconds()
	}
	return r, extents, nil
}

// shards returns the domain that is in shards, "" for all, and the rows of a shard, 0 for a run
// over all rows at once.
func (flags runFlags) shards(c *cobra.Command) (over string, rows int64, err error) {
	if !c.Flags().Changed("shard-rows") {
		return "", 0, nil
	}
	number := flags.shard
	if domain, after, found := strings.Cut(flags.shard, "="); found {
		over, number = domain, after
	}
	switch rows, err = strconv.ParseInt(number, 10, 64); {
	case err != nil || rows < 1:
		return "", 0, usageErrorf("--shard-rows %s: write N or DOMAIN=N, with at least 1 row", flags.shard)
	case flags.repeat > 0:
		return "", 0, usageErrorf("--shard-rows runs each shard once: leave out --repeat")
	case flags.tuned != "":
		return "", 0, usageErrorf("--tuned has settings for all rows at once: leave out --shard-rows, or name --fuse and --schedule")
	}
	return over, rows, nil
}

// sharded runs over some rows at a time. It returns the results, and what the columns are
// like.
func (j *runJob) sharded() (r report, extents []table.Extent, err error) {
	ctx := j.command.Context()
	var shards *kgen.Shards
	if err := j.open(func(settings ...kgen.Setting) (err error) {
		shards, err = kgen.Of(j.source, j.pipeline).Shards(ctx, j.device, append(settings, kgen.Over(j.over))...)
		return err
	}); err != nil {
		return r, nil, err
	}
	defer shards.Close()
	j.clock.end("emit")
	from := &table.Source{Context: ctx, Memory: j.device.Space(), Stdin: j.command.InOrStdin()}
	check := func(extents []table.Extent, err error) error {
		if err != nil {
			return err
		}
		rows, scalars := sizes(j.pipeline, extents)
		for domain, n := range rows {
			if j.inShards(domain) {
				rows[domain] = min(n, j.rows)
			}
		}
		return checkLimit(j.pipeline.Name, shards.Footprint(rows, scalars), j.limit)
	}
	if err := check(j.binding.Extents(from)); err != nil {
		return r, nil, err
	}
	pieces, err := j.binding.Pieces(from, j.rows, j.over)
	if err != nil {
		return r, nil, limitOfColumns(err)
	}
	extents = pieces.Extents()
	if err := check(extents, nil); err != nil {
		return r, nil, err
	}
	texts, err := j.addAll(shards, pieces, j.longest(extents))
	if err != nil {
		return r, nil, err
	}
	columns, err := shards.ResultColumns(ctx, texts)
	if err != nil {
		return r, nil, err
	}
	j.clock.add("read", shards.Steps())
	return report{Pipeline: j.pipeline.Name, Device: j.device.Name(), Results: table.Results(j.pipeline, columns)}, extents, nil
}

// addAll adds all pieces, the longest domain of which has so many rows. It returns columns with
// the dictionary of texts.
func (j *runJob) addAll(shards *kgen.Shards, pieces *table.Pieces, rows int64) (texts []ir.Column, err error) {
	var options []kgen.RunOption
	if j.flags.time || j.flags.json {
		options = append(options, kgen.Trace())
	}
	bar := newProgress(j.command.ErrOrStderr(), "read and run", "rows")
	defer bar.end()
	for done := int64(0); ; {
		piece, err := pieces.Next()
		if err == io.EOF {
			return texts, nil
		}
		if err != nil {
			return nil, limitOfColumns(err)
		}
		if err := shards.AddColumns(j.command.Context(), piece, options...); err != nil {
			return nil, err
		}
		texts = piece
		done += j.longest(table.Extents(j.pipeline, piece))
		bar.report(min(done, rows), rows)
	}
}

// inShards reports whether the rows of a domain are in shards.
func (j *runJob) inShards(domain string) bool { return j.over == "" || j.over == domain }

// longest returns the rows of the longest column that is in shards.
func (j *runJob) longest(extents []table.Extent) (rows int64) {
	for i, v := range j.pipeline.Params {
		if d := v.Type.Domain; d != nil && j.inShards(d.Name) {
			rows = max(rows, extents[i].Rows)
		}
	}
	return rows
}
