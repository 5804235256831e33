package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/backends/gocpu"
	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/internal/device/exec"
	rungo "github.com/kgen-go/kgen/internal/device/gocpu"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/internal/explore"
	"github.com/kgen-go/kgen/internal/kernels"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// openExploreDevice opens a device for many runs, or says why it is not there.
func openExploreDevice(ctx context.Context, name string, space *memory.Space, waiting *waiting) (exploreDevice, error) {
	d, err := deviceByName(name)
	if err != nil {
		return nil, err
	}
	switch driver, number, _ := driverByDevice(name); {
	case driver != nil:
		return openExploreWorker(ctx, driver, name, number, space, waiting)
	case name == "gocpu":
		detail, err := probeGoCPU(ctx)
		return exploreGo{detail}, err
	case strings.HasPrefix(name, "cudaemu"):
		detail, err := probeCUDAEmulation(ctx)
		return exploreOther{d, detail}, err
	}
	return nil, usageErrorf("device %s is not explored: every result is compared with the interpreter's already", name)
}

// exploreGo is emitted Go, each program in a process that stays.
type exploreGo struct{ detail string }

func (g exploreGo) info() explore.DeviceInfo {
	profile, _ := profileOf(false)
	return explore.DeviceInfo{Name: "gocpu", Detail: g.detail, Profile: profile}
}

func (exploreGo) machine() plan.Machine { _, m := profileOf(false); return m }
func (exploreGo) backend() string       { return gocpu.Emitter{}.Name() }
func (exploreGo) shaped() bool          { return false }
func (exploreGo) close()                {}

func (exploreGo) prepare(ctx context.Context, job exploreJob) (exploreProgram, error) {
	if err := build.RefuseSchedule("device gocpu", job.schedule); err != nil {
		return nil, &explore.RefusedError{Reason: err.Error()}
	}
	program, _, err := build.Compile(job.source, job.pipeline, gocpu.Emitter{}.Name(), job.level, plan.Schedule{})
	if err != nil {
		return nil, &explore.RefusedError{Reason: err.Error()}
	}
	output, err := gocpu.Emitter{}.Emit([]*backends.Program{program}, backends.Options{Trace: true})
	if err != nil {
		return nil, &explore.RefusedError{Reason: err.Error()}
	}
	begun := time.Now()
	binary, err := rungo.Build(ctx, buildSource(output), rungo.Options{})
	if err != nil {
		return nil, err
	}
	p := &exploreGoProgram{job: job, worker: binary.Worker(job.space), compile: time.Since(begun), call: rungo.Call{Program: output.Entries[0].Pipeline}}
	for _, column := range job.columns {
		p.call.Params = append(p.call.Params, table.Bytes(column))
	}
	p.call.Bounds = program.Plan.ResultBounds(planSizes(program.Plan, table.Extents(job.pipeline, job.columns)))
	return p, nil
}

type exploreGoProgram struct {
	job     exploreJob
	worker  *rungo.Worker
	call    rungo.Call
	compile time.Duration
	results [][]byte
}

func (p *exploreGoProgram) run(ctx context.Context, repeat int) (*explore.Outcome, error) {
	out := &explore.Outcome{Launches: map[string][]int64{}, Compile: p.compile}
	p.free()
	p.call.Repeat = repeat
	result, err := p.worker.Run(ctx, p.call)
	var check *rungo.CheckError
	if errors.As(err, &check) {
		return nil, &ir.CheckError{Site: &p.job.pipeline.Sites[check.Site], Row: check.Row}
	}
	if err != nil {
		return nil, err
	}
	p.results = result.Columns
	for _, again := range result.Again {
		out.Samples = append(out.Samples, again.Elapsed.Nanoseconds())
		once := map[string]int64{}
		for _, s := range again.Steps {
			once[s.Name] += s.Elapsed.Nanoseconds()
		}
		for name, elapsed := range once {
			out.Launches[name] = append(out.Launches[name], elapsed)
		}
	}
	for i, data := range p.results {
		out.Columns = append(out.Columns, table.FromBytes(p.job.pipeline.Results[i].Value.Type.Kind, data))
	}
	return out, nil
}

func (p *exploreGoProgram) free() {
	for _, data := range p.results {
		p.job.space.Free(data)
	}
	p.results = nil
}

func (p *exploreGoProgram) close() {
	p.free()
	p.worker.Close()
}

// exploreWorker is a device that a worker program drives, which stays.
type exploreWorker struct {
	driver *driver
	device worker.Device
	number int
	client *worker.Client
}

func openExploreWorker(ctx context.Context, d *driver, name string, number int, space *memory.Space, waiting *waiting) (exploreDevice, error) {
	client, err := worker.Open(ctx, worker.Options{Program: d.program, Space: space,
		Doing: func(what string) { waiting.on("waiting for " + what) }})
	if err != nil {
		return nil, err
	}
	listing, err := client.List(ctx)
	waiting.on("")
	switch {
	case err != nil:
	case number >= len(listing.Devices):
		err = fmt.Errorf("there is no device %s; there are %d", name, len(listing.Devices))
	case listing.Devices[number].Problem != "":
		err = fmt.Errorf("device %s: %s", name, listing.Devices[number].Problem)
	}
	if err != nil {
		client.Close()
		return nil, err
	}
	return &exploreWorker{d, listing.Devices[number], number, client}, nil
}

// isGPU reports whether rates of a GPU predict the device's.
func (w *exploreWorker) isGPU() bool {
	return w.driver.name == "cuda" || strings.Contains(w.device.Vendor+w.device.Platform, "NVIDIA")
}

func (w *exploreWorker) info() explore.DeviceInfo {
	profile, _ := profileOf(w.isGPU())
	return explore.DeviceInfo{Name: w.device.Name, Detail: describeDevice(w.device), Profile: profile}
}

func (w *exploreWorker) machine() plan.Machine { _, m := profileOf(w.isGPU()); return m }
func (w *exploreWorker) backend() string       { return w.driver.emitter.Name() }
func (w *exploreWorker) shaped() bool          { return true }
func (w *exploreWorker) close()                { w.client.Close() }

func (w *exploreWorker) prepare(_ context.Context, job exploreJob) (exploreProgram, error) {
	if numbered := job.schedule; numbered.IDs == "" {
		if numbered.IDs = w.driver.ids; simt.CheckSchedule(numbered) == nil {
			job.schedule = numbered
		}
	}
	byRows, err := makeKernels(request{source: job.source, pipeline: job.pipeline, level: job.level, schedule: job.schedule}, w.driver.emitter)
	if err != nil {
		return nil, &explore.RefusedError{Reason: err.Error()}
	}
	made, err := byRows.forRows(longest(table.Extents(job.pipeline, job.columns)))
	if err != nil {
		return nil, &explore.RefusedError{Reason: err.Error()}
	}
	return &exploreWorkerProgram{worker: w, job: job, made: made}, nil
}

type exploreWorkerProgram struct {
	worker   *exploreWorker
	job      exploreJob
	made     *kernels.Program
	results  []ir.Column
	crashed  bool
	unrepeat bool // its work cannot be repeated: whole runs are
}

func (p *exploreWorkerProgram) run(ctx context.Context, repeat int) (*explore.Outcome, error) {
	out := &explore.Outcome{Launches: map[string][]int64{}}
	if !p.unrepeat {
		err := p.once(ctx, repeat, out)
		if err == nil || !strings.Contains(err.Error(), notRepeated) {
			return out, err
		}
		p.unrepeat = true
	}
	out.Notes = append(out.Notes, "the device's work cannot be repeated by itself: times are those of its kernels, in runs of the whole plan")
	for range min(repeat, 10) {
		if err := p.once(ctx, 0, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// notRepeated is in the error of a plan whose work cannot be repeated.
const notRepeated = "cannot be repeated"

// once runs the plan and repeats its work; without repetitions the sample is the
// time of the kernels.
func (p *exploreWorkerProgram) once(ctx context.Context, repeat int, out *explore.Outcome) error {
	p.free()
	request := worker.Request{Device: p.worker.number, Plan: p.made.Plan, Texts: p.made.Texts(), Build: p.made.Options,
		Inputs: planInputs(p.made.Plan, p.job.columns), Trace: true, Repeat: repeat}
	result, err := p.worker.client.Run(ctx, request)
	var crash *worker.CrashError
	if errors.As(err, &crash) && !p.crashed { // as drivers do that have compiled much
		p.crashed = true
		out.Notes = append(out.Notes, "the driver's process ended early once ("+crash.Status+") and was started again")
		result, err = p.worker.client.Run(ctx, request)
	}
	p.job.waiting.on("")
	var gaveUp *exec.GiveUpError
	if errors.As(err, &gaveUp) { // the device lacks what the plan needs
		return &explore.RefusedError{Reason: err.Error()}
	}
	if err != nil {
		return checkOf(p.job.pipeline, err)
	}
	done := planOutcome(p.made.Plan, &result.Result)
	p.results = done.columns
	out.Columns = done.columns
	out.Notes = append(out.Notes, done.notes...)
	for _, t := range result.Times {
		out.Samples = append(out.Samples, t.Nanoseconds())
	}
	once, total := map[string]int64{}, int64(0)
	add := func(kernel string, elapsed int64) {
		once[kernel] += elapsed
		total += elapsed
	}
	for _, launch := range result.Launches {
		add(launch.Kernel, launch.Time)
	}
	for _, s := range result.Steps {
		switch {
		case s.Step == "launch" && repeat == 0:
			add(s.Name, cmp.Or(s.Device, s.Host))
		case s.Step == worker.StepCompile || s.Step == worker.StepCached:
			out.Compile += time.Duration(s.Host)
		}
	}
	for name, elapsed := range once {
		out.Launches[name] = append(out.Launches[name], elapsed)
	}
	if repeat == 0 {
		out.Samples = append(out.Samples, total)
	}
	return nil
}

func (p *exploreWorkerProgram) free() {
	for _, column := range p.results {
		p.job.space.Free(table.Bytes(column))
	}
	p.results = nil
}

func (p *exploreWorkerProgram) close() { p.free() }

// exploreOther is any other device: each run begins anew, and its times are those
// of its kernels.
type exploreOther struct {
	device *device
	detail string
}

func (o exploreOther) info() explore.DeviceInfo {
	profile, _ := profileOf(false)
	return explore.DeviceInfo{Name: o.device.name, Detail: o.detail, Profile: profile}
}

func (exploreOther) machine() plan.Machine { _, m := profileOf(false); return m }
func (exploreOther) backend() string       { return cuda.Emitter().Name() }
func (exploreOther) shaped() bool          { return true }
func (exploreOther) close()                {}

func (o exploreOther) prepare(ctx context.Context, job exploreJob) (exploreProgram, error) {
	program, err := o.device.prepare(ctx, request{source: job.source, pipeline: job.pipeline, level: job.level, schedule: job.schedule, trace: true})
	if err != nil {
		return nil, &explore.RefusedError{Reason: err.Error()}
	}
	return &exploreOtherProgram{job, program, nil}, nil
}

type exploreOtherProgram struct {
	job     exploreJob
	program *executable
	results []ir.Column
}

func (p *exploreOtherProgram) run(ctx context.Context, repeat int) (*explore.Outcome, error) {
	out := &explore.Outcome{Launches: map[string][]int64{}}
	for range repeat {
		p.close()
		var in []ir.Column // a run frees what it has read
		for _, column := range p.job.columns {
			data, err := p.job.space.New(int64(len(table.Bytes(column))))
			if err != nil {
				return nil, err
			}
			copy(data, table.Bytes(column))
			in = append(in, table.FromBytes(column.Kind, data))
		}
		done, err := p.program.run(ctx, p.job.space, in)
		if err != nil {
			for _, column := range in {
				p.job.space.Free(table.Bytes(column))
			}
			return nil, err
		}
		p.results, out.Columns, out.Notes = done.columns, done.columns, done.notes
		total := int64(0)
		for _, s := range done.steps {
			for _, k := range done.kernels {
				if s.Name == k.Name {
					out.Launches[s.Name] = append(out.Launches[s.Name], s.Elapsed.Nanoseconds())
					total += s.Elapsed.Nanoseconds()
				}
			}
		}
		out.Samples = append(out.Samples, total)
	}
	return out, nil
}

func (p *exploreOtherProgram) close() {
	for _, column := range p.results {
		p.job.space.Free(table.Bytes(column))
	}
	p.results = nil
}
