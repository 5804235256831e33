package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kgen-go/kgen"
	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/explore"
	"github.com/kgen-go/kgen/internal/explore/columns"
	"github.com/kgen-go/kgen/internal/interp"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
)

// explored is a pipeline that is explored.
type explored struct {
	argument string // FILE.kg or FILE.kg#NAME
	source   *source
	pipeline *ir.Pipeline
}

// exploreRunner runs configurations on devices of kgen.
type exploreRunner struct {
	command   *cobra.Command
	flags     *exploreFlags
	pipelines map[string]*explored
	devices   map[string]exploreDevice
	space     *memory.Space
	waiting   *waiting
	abandoned bool // an interpreter may still read columns
}

// exploreDevice runs pipelines again and again without starting anew.
type exploreDevice interface {
	info() explore.DeviceInfo
	machine() plan.Machine  // whose rates predict times
	deciding() plan.Machine // by whose rates level auto chooses; the zero value is the declared one
	backend() string        // whose text it runs
	hardware() plan.Machine // for which that is emitted
	shaped() bool           // whether it has kernels of work-groups
	prepare(ctx context.Context, job exploreJob) (exploreProgram, error)
	close()
}

// exploreJob is what a device compiles.
type exploreJob struct {
	*explored
	rows     map[string]int64 // of the parameters' domains
	level    string
	schedule plan.Schedule
	columns  []ir.Column
	space    *memory.Space
	waiting  *waiting
}

// exploreProgram is a program of a device. What it returns lies in the space, until
// the next call.
type exploreProgram interface {
	run(ctx context.Context, repeat int) (*explore.Outcome, error)
	close()
}

// mostInterpreted is how many rows the interpreter takes, or makes by bins, repeat and join, in
// reasonable time; with --choices of many pipelines.
func (f *exploreFlags) mostInterpreted() int64 {
	if f.choices {
		return 1 << 17
	}
	return 1 << 22
}

// exploreData is a set of columns.
type exploreData struct {
	*exploreRunner
	*explored
	columns   []ir.Column
	extents   []table.Extent
	generated int64                  // rows that were asked for; 0 for files
	want      *testsuite.Expectation // nil until the first results are it
	kept      []ir.Column            // those, if they are
}

// Open implements [explore.Runner].
func (r *exploreRunner) Open(ctx context.Context, d explore.DataSet) (explore.Data, error) {
	data := &exploreData{exploreRunner: r, explored: r.pipelines[d.Pipeline]}
	var err error
	if d.Data == explore.FromFiles {
		data.columns, err = r.fromFiles(data.pipeline)
	} else if data.generated = d.Rows; isRandom(d) {
		data.columns, err = r.byChance(data.pipeline, d)
	} else {
		data.columns, err = r.generated(ctx, data.pipeline, d)
	}
	if err != nil {
		return nil, err
	}
	data.extents = table.Extents(data.pipeline, data.columns)
	if data.Rows() <= r.flags.mostInterpreted() {
		r.waiting.on("interpreting " + data.pipeline.Name)
		data.want, err = r.expect(ctx, data)
		r.waiting.on("")
		var tooMany *interp.ArgumentError
		switch {
		case errors.As(err, &tooMany): // rows
			data.want, err = nil, nil
		case err != nil:
		case data.want.Check != nil:
			err = kgen.Of(data.source, data.pipeline).Failed(data.want.Check)
			if d.Data != explore.FromFiles {
				err = fmt.Errorf("%w\nso there is nothing to measure: --dist makes other columns, --in takes them from files", err)
			}
		}
	}
	if err != nil {
		data.Close()
		return nil, err
	}
	return data, nil
}

// expect runs the interpreter, which cannot be stopped: if ctx ends, it is abandoned,
// and may read columns to the end of the process.
func (r *exploreRunner) expect(ctx context.Context, d *exploreData) (*testsuite.Expectation, error) {
	var want *testsuite.Expectation
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		want, err = testsuite.Expect(d.pipeline, d.columns, interp.RowLimit(int(r.flags.mostInterpreted())))
	}()
	select {
	case <-done:
		return want, err
	case <-ctx.Done():
		r.abandoned = true
		return nil, ctx.Err()
	}
}

// close ends the use of devices and memory.
func (r *exploreRunner) close() {
	for _, d := range r.devices {
		d.close()
	}
	if !r.abandoned {
		r.space.Close()
	}
}

// fromFiles reads the columns that flags name.
func (r *exploreRunner) fromFiles(p *ir.Pipeline) ([]ir.Column, error) {
	binding, err := table.Bind(p, r.flags.Flags)
	if err != nil {
		return nil, &usageError{Err: err}
	}
	return readColumns(r.command, binding, r.space, func([]table.Extent) error { return nil })
}

// generated makes columns by chance.
func (r *exploreRunner) generated(ctx context.Context, p *ir.Pipeline, d explore.DataSet) ([]ir.Column, error) {
	spec, err := columns.Parse(d.Data)
	if err != nil {
		return nil, usageErrorf("--dist %w", err)
	}
	scalars, err := parseScalars(p, r.flags.Set)
	if err != nil {
		return nil, err
	}
	bar := newProgress(r.command.ErrOrStderr(), "generate", "values")
	defer bar.end()
	made, err := spec.Make(ctx, columns.Request{Pipeline: p, Seed: r.flags.seed, New: r.space.New, Progress: bar.report,
		Rows: func(*ir.Domain) int64 { return d.Rows },
		Scalar: func(v *ir.Value) (ir.Scalar, error) {
			if value, set := scalars[v.Name]; set {
				return value, nil
			}
			if v.Const.Kind == ir.Invalid && r.flags.choices {
				return columns.Middle(v.Type.Kind), nil
			}
			if v.Const.Kind == ir.Invalid {
				return ir.Scalar{}, usageErrorf("parameter %s of %s is not given: add --set %[1]s=VALUE", v.Name, p.Name)
			}
			return v.Const, nil
		}})
	var usage *usageError
	if err != nil && ctx.Err() == nil && !errors.As(err, &usage) {
		err = usageErrorf("--dist %w", err)
	}
	return made, err
}

// parseScalars reads --set for the scalar parameters of p. Other names are those of
// other pipelines.
func parseScalars(p *ir.Pipeline, set []string) (map[string]ir.Scalar, error) {
	binding := map[string]ir.Scalar{}
	for _, text := range set {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, usageErrorf("--set %s: write --set PARAMETER=VALUE", text)
		}
		for _, v := range p.Params {
			if v.Name != name || !v.Type.IsScalar() {
				continue
			}
			scalar, err := table.ParseScalar(v.Type.Kind, value)
			if err != nil {
				return nil, usageErrorf("--set %s: %w", text, err)
			}
			binding[name] = scalar
		}
	}
	return binding, nil
}

// Rows implements [explore.Data].
func (d *exploreData) Rows() int64 {
	if d.generated > 0 { // other tables of a database may be longer
		return d.generated
	}
	return longest(d.extents)
}

// Prepare implements [explore.Data].
func (d *exploreData) Prepare(ctx context.Context, c explore.Configuration, skip func(text string) bool) (explore.Program, error) {
	schedule, err := build.ParseSchedule(c.Schedule)
	if err != nil {
		return nil, &explore.RefusedError{Reason: err.Error()}
	}
	device := d.devices[c.Device]
	rows := d.lengths(nil)
	made, fused, err := build.CompileOver(d.source, d.pipeline, rows, device.deciding(), device.backend(), c.Level, schedule)
	if err != nil {
		return nil, &explore.RefusedError{Reason: err.Error()}
	}
	text, err := kernelText(made, device.backend(), device.hardware(), build.ShapeFor(c.Level, rows, device.deciding(), schedule))
	if err != nil {
		return nil, err
	}
	digest := fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:16]
	if skip != nil && skip(digest) {
		return nil, nil
	}
	program, err := device.prepare(ctx, exploreJob{d.explored, rows, c.Level, schedule, d.columns, d.space, d.waiting})
	if err != nil {
		return nil, err
	}
	return &exploreRun{exploreProgram: program, data: d, fused: fused, machine: device.machine(), text: digest}, nil
}

// Differ implements [explore.Data].
func (d *exploreData) Differ(got []ir.Column, err error) string {
	if d.want == nil && err == nil { // kept, since the columns are the program's
		for _, column := range got {
			kept, err := d.space.New(int64(len(raw.Bytes(column))))
			if err != nil {
				return err.Error()
			}
			copy(kept, raw.Bytes(column))
			d.kept = append(d.kept, raw.FromBytes(column.Kind, kept))
		}
		d.want = testsuite.ExpectLike(d.pipeline, d.kept)
		return ""
	}
	if d.want == nil {
		return err.Error()
	}
	return d.want.Differ(got, err)
}

// Referenced implements [explore.Data].
func (d *exploreData) Referenced() bool { return d.want != nil }

// Close implements [explore.Data].
func (d *exploreData) Close() {
	if d.abandoned {
		return
	}
	for _, column := range append(d.columns, d.kept...) {
		d.space.Free(raw.Bytes(column))
	}
	d.columns, d.kept, d.want = nil, nil, nil
}

// exploreRun is a program with what is known of its kernels.
type exploreRun struct {
	exploreProgram
	data    *exploreData
	fused   *fuse.Program
	machine plan.Machine
	text    string // a digest of its kernels
}

// Run implements [explore.Program].
func (p *exploreRun) Run(ctx context.Context, repeat int) (*explore.Outcome, error) {
	out, err := p.run(ctx, repeat)
	if err != nil {
		return nil, err
	}
	launches := map[string][]int64{}
	for name, samples := range out.Launches {
		if kernel := kernelOf(p.fused, name); kernel != "" {
			launches[kernel] = addRuns(launches[kernel], samples)
		}
	}
	out.Launches = launches
	return out, nil
}

// kernelOf returns the kernel that a launch belongs to, "" if none: a kernel may
// need several launches, which have its name and a suffix.
func kernelOf(p *fuse.Program, launch string) (kernel string) {
	for _, k := range p.Kernels {
		suffix, ok := strings.CutPrefix(launch, k.Name)
		if ok && (suffix == "" || suffix[0] == '_') && len(k.Name) > len(kernel) {
			kernel = k.Name
		}
	}
	return kernel
}

// addRuns adds the times of launches of one kernel, run by run.
func addRuns(sum, more []int64) []int64 {
	if len(sum) < len(more) {
		sum, more = append([]int64(nil), more...), sum
	}
	for i, t := range more {
		sum[i] += t
	}
	return sum
}

// Explain implements [explore.Program].
func (p *exploreRun) Explain(out *explore.Outcome) explore.Explanation {
	e, err := p.explain(out)
	if err != nil {
		return explore.Explanation{}
	}
	lengths := p.data.lengths(out.Columns)
	x := explore.Explanation{Bytes: e.Total.Bytes, Predicted: e.Total.Predicted, Plan: e.Plan, Text: p.text}
	for _, k := range e.Kernels {
		if !k.Idle {
			x.Kernels = append(x.Kernels, explore.KernelResult{Name: k.Name, Stages: k.Stages, Bytes: k.Bytes, Predicted: k.Predicted})
		}
	}
	for _, a := range e.Assumed {
		_, measured := lengths[a.Domain]
		x.Lengths = append(x.Lengths, explore.Length{Domain: a.Domain, Rows: a.Rows, Measured: measured})
	}
	return x
}

// explain explains the program for the columns and the kernels of a run.
func (p *exploreRun) explain(out *explore.Outcome) (*fuse.Explanation, error) {
	known := fuse.Known{Lengths: p.data.lengths(out.Columns)}
	for name := range out.Launches {
		known.Ran = append(known.Ran, name)
	}
	return explainFor(p.fused, p.machine, known)
}

// lengths returns the rows of the domains of parameters and results.
func (d *exploreData) lengths(results []ir.Column) map[string]int64 {
	lengths := map[string]int64{}
	for i, v := range d.pipeline.Params {
		if v.Type.Domain != nil {
			lengths[v.Type.Domain.Name] = int64(d.columns[i].Len())
		}
	}
	for i, r := range d.pipeline.Results {
		if domain := r.Value.Type.Domain; domain != nil && domain.Name != "" && i < len(results) {
			lengths[domain.Name] = int64(results[i].Len())
		}
	}
	return lengths
}

// explainFor explains a program with the rates of a machine.
func explainFor(p *fuse.Program, machine plan.Machine, known fuse.Known) (*fuse.Explanation, error) {
	fusion := *p.Fusion
	fusion.Machine = machine
	on := *p
	on.Fusion = &fusion
	return on.ExplainKnowing(known)
}

// profileOf returns the declared machine that predicts times best, and its name.
func profileOf(isGPU bool) (string, plan.Machine) {
	name := plan.DefaultProfile
	if isGPU {
		name = "h200"
	}
	return name, plan.Profiles()[cmp.Or(name, plan.DefaultProfile)]
}

// Close implements [explore.Program].
func (p *exploreRun) Close() { p.close() }
