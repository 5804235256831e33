package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/kgen-go/kgen"
	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/internal/explore"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/internal/tune"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// openExploreDevice opens a device for many runs, or says why it is not there. Costs are
// those of --machine.
func openExploreDevice(ctx context.Context, name, machine string, space *memory.Space, waiting *waiting) (*exploring, error) {
	kind, _, _ := strings.Cut(name, ":")
	d := &exploring{name: name, repeats: true}
	switch kind {
	case "cudaemu":
		d.repeats = false
	case "interp":
		return nil, usageErrorf("device %s is not explored: every result is compared with the interpreter's already", name)
	case "vector":
		return nil, usageErrorf("device %s is not explored: nothing is compiled for it, and it has no kernels to show; explore gocpu, opencl:0 or cuda:0", name)
	}
	var err error
	if d.device, err = kgen.Open(ctx, name, kgen.InSpace(space), kgen.Waiting(waiting.on)); err != nil {
		return nil, err
	}
	info, err := d.device.Info(ctx)
	var m plan.Machine
	if err == nil {
		m, err = d.device.Machine(ctx)
	}
	if err == nil {
		d.costs, err = costsOf(ctx, machine, d.device)
	}
	if err != nil {
		d.device.Close()
		return nil, err
	}
	d.detail, d.emits, d.driven = info.Detail, build.BackendOf(kind, m), m
	d.isGPU = kind == "cuda" || info.Device != nil && strings.Contains(info.Device.Vendor+info.Device.Platform, "NVIDIA")
	return d, nil
}

// takeProcessorTime makes samples the time that the threads of the device's process run, which other
// work of the machine does not lengthen as much. More threads than one take more of it than time passes.
func (d *exploring) takeProcessorTime() error {
	if d.name != defaultDevice {
		return usageErrorf("--%s: the processor time of device %s is not known, only that of %s", processorTimeFlag, d.name, defaultDevice)
	}
	d.byProcessor = true
	return nil
}

const (
	processorTimeFlag  = "processor-time"
	processorTimeUsage = "take the processor time of emitted Go as a sample, on one core of a busy machine (taskset)"
)

// identify says what the device is.
func (d *exploring) identify(ctx context.Context) (tune.Device, error) {
	m, err := d.device.Machine(ctx)
	return tune.Device{Name: d.name, Backend: d.emits, Hardware: m.Device, Driver: m.Driver}, err
}

// exploring is a device whose programs stay ready.
type exploring struct {
	name        string
	detail      string
	emits       string       // the backend
	driven      plan.Machine // as its driver describes it
	isGPU       bool         // whether rates of a GPU predict its times
	repeats     bool         // whether it repeats its work by itself; others run anew
	byProcessor bool         // samples are processor time
	costs       *calibrated  // whose rates predict and decide; nil is a declared machine
	device      *kgen.Device
}

func (d *exploring) info() explore.DeviceInfo {
	profile, _ := profileOf(d.isGPU)
	if d.costs != nil {
		profile = d.costs.name
	}
	info := explore.DeviceInfo{Name: d.name, Detail: d.detail, Profile: profile}
	if d.byProcessor {
		info.Detail += ", by processor time"
	}
	return info
}

func (d *exploring) machine() plan.Machine {
	if d.costs != nil {
		return d.costs.machine
	}
	_, m := profileOf(d.isGPU)
	return m
}

// deciding is the machine by whose rates level auto chooses.
func (d *exploring) deciding() plan.Machine { return d.costs.orZero() }
func (d *exploring) backend() string        { return d.emits }
func (d *exploring) hardware() plan.Machine { return d.driven }
func (d *exploring) shaped() bool           { return d.name != defaultDevice }
func (d *exploring) close()                 { d.device.Close() }

func (d *exploring) prepare(ctx context.Context, job exploreJob) (exploreProgram, error) {
	e, err := kgen.Of(job.source, job.pipeline).On(ctx, d.device, kgen.Level(job.level), kgen.Shape(job.schedule), kgen.CostsOf(d.deciding()), kgen.RowsOf(job.rows))
	var building *kgen.GoBuildError
	switch {
	case errors.As(err, &building) || err != nil && ctx.Err() != nil:
		return nil, err
	case err != nil:
		return nil, &explore.RefusedError{Reason: err.Error()}
	}
	p := &exploredProgram{device: d, job: job, executable: e}
	for _, s := range e.Compiled() {
		p.compile += s.Elapsed
	}
	return p, nil
}

type exploredProgram struct {
	device     *exploring
	job        exploreJob
	executable *kgen.Executable
	compile    time.Duration
	results    []ir.Column
	crashed    bool
	unrepeat   bool // its work cannot be repeated: whole runs are
}

// notRepeated is in the error of a plan whose work cannot be repeated.
const notRepeated = "cannot be repeated"

func (p *exploredProgram) run(ctx context.Context, repeat int) (*explore.Outcome, error) {
	out := &explore.Outcome{Launches: map[string][]int64{}, Compile: p.compile}
	if p.device.repeats && !p.unrepeat {
		err := p.once(ctx, repeat, out)
		if err == nil || !strings.Contains(err.Error(), notRepeated) {
			return out, err
		}
		p.unrepeat = true
	}
	if p.unrepeat {
		repeat = min(repeat, 10)
		out.Notes = append(out.Notes, "the device's work cannot be repeated by itself: times are those of its kernels, in runs of the whole plan")
	}
	for range repeat {
		if err := p.once(ctx, 0, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// once runs the program and repeats its work; without repetitions the sample is the time of
// the kernels.
func (p *exploredProgram) once(ctx context.Context, repeat int, out *explore.Outcome) error {
	p.free()
	columns, done, err := p.executable.RunColumns(ctx, p.job.columns, kgen.Trace(), kgen.Repeat(repeat))
	var crash *kgen.CrashError
	if errors.As(err, &crash) && !p.crashed { // as drivers do that have compiled much
		p.crashed = true
		out.Notes = append(out.Notes, "the driver's process ended early once ("+crash.Status+") and was started again")
		columns, done, err = p.executable.RunColumns(ctx, p.job.columns, kgen.Trace(), kgen.Repeat(repeat))
	}
	p.job.waiting.on("")
	var gaveUp *kgen.GiveUpError
	if errors.As(err, &gaveUp) { // the device lacks what the plan needs
		return &explore.RefusedError{Reason: err.Error()}
	}
	if err != nil {
		return err
	}
	p.results, out.Columns = columns, columns
	out.Notes = append(out.Notes, done.Notes...)
	times := done.Times
	if p.device.byProcessor {
		times = done.Used
	}
	for _, t := range times {
		out.Samples = append(out.Samples, t.Nanoseconds())
	}
	var total int64
	kernels := done.Alone
	for _, s := range done.Steps {
		switch isKernel := slices.ContainsFunc(done.Kernels, func(k plan.Kernel) bool { return k.Name == s.Name }); {
		case isKernel && repeat == 0:
			kernels = append(kernels, s)
			total += s.Elapsed.Nanoseconds()
		case s.Name == worker.StepTurn:
			out.Waited += s.Elapsed
		case s.Name == kgen.StepCompile || s.Name == kgen.StepCached:
			out.Compile += s.Elapsed
		}
	}
	if repeat == 0 {
		out.Samples = append(out.Samples, total)
	}
	for _, k := range kernels {
		out.Launches[k.Name] = append(out.Launches[k.Name], k.Elapsed.Nanoseconds())
	}
	return nil
}

func (p *exploredProgram) free() {
	for _, column := range p.results {
		p.job.space.Free(raw.Bytes(column))
	}
	p.results = nil
}

func (p *exploredProgram) close() {
	p.free()
	p.executable.Close()
}
