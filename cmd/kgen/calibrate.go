package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/kgen-go/kgen"
	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/calibrate"
	"github.com/kgen-go/kgen/internal/explore"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/internal/version"
	"github.com/kgen-go/kgen/plan"
)

// calibrated is a measured machine, in place of a declared one. The nil value stands for
// the declared one.
type calibrated struct {
	name    string // for tables
	machine plan.Machine
}

// orZero returns the machine, or the zero value.
func (c *calibrated) orZero() plan.Machine {
	if c == nil {
		return plan.Machine{}
	}
	return c.machine
}

// declaredMachine is the value of --machine that stands for declared machines.
const declaredMachine = "declared"

// machineFlag declares --machine.
func machineFlag(c *cobra.Command, path *string, usual string) {
	c.Flags().StringVar(path, "machine", "", "let level auto choose by the rates in `FILE` of kgen devices --calibrate, or by "+declaredMachine+" ones (default "+usual+")")
}

// usualMachine is what commands for a device do without --machine.
const usualMachine = "those measured on the device, if any"

// costsOf returns the machine of --machine or, without, the one that was measured on a
// device.
func costsOf(ctx context.Context, flag string, device *kgen.Device) (*calibrated, error) {
	switch {
	case flag == declaredMachine || flag == "" && !calibrate.Any():
		return nil, nil
	case flag != "":
		f, err := calibrate.Read(flag)
		if err != nil {
			return nil, err
		}
		return &calibrated{flag, f.Machine}, nil
	}
	m, err := device.Machine(ctx)
	if err != nil {
		return nil, err
	}
	f, err := calibrate.Find(device.Name(), m)
	if err != nil || f == nil {
		return nil, err
	}
	return &calibrated{"measured", f.Machine}, nil
}

// runCalibrate measures a device.
func runCalibrate(c *cobra.Command, name, out string, quick, processorTime, asJSON bool) error {
	waiting := newWaiting(c.ErrOrStderr())
	defer waiting.end()
	space := memory.NewSpace(0)
	defer space.Close()
	if name == "vector" || name == "interp" {
		return usageErrorf("device %s has no kernels whose times could be predicted: calibrate %s, opencl:0 or cuda:0", name, defaultDevice)
	}
	device, err := openExploreDevice(c.Context(), name, declaredMachine, space, waiting)
	if err != nil {
		return err
	}
	defer device.close()
	if processorTime {
		if err := device.takeProcessorTime(); err != nil {
			return err
		}
	}
	if !device.repeats {
		return usageErrorf("device %s emulates another, and an emulation has no times: calibrate the device itself", name)
	}
	m, err := device.device.Machine(c.Context())
	if err != nil {
		return err
	}
	_, declared := profileOf(device.isGPU)
	bench := &calibrationBench{device: device, space: space, waiting: waiting}
	begun := time.Now()
	file, err := calibrate.Measure(c.Context(), bench, m, calibrate.Options{Declared: declared, Shaped: device.shaped(), Quick: quick,
		Doing: func(what string) { bench.what = "calibrating " + name + ": " + what; waiting.on(bench.what) }})
	waiting.on("")
	if err != nil {
		return err
	}
	if processorTime {
		file.Notes = append(file.Notes, "times are those of the processor, not of the clock")
	}
	file.Name, file.Kgen, file.Begun = name, version.Kgen(), begun.UTC().Truncate(time.Second)
	path := out
	switch {
	case out == "" && quick:
	case out == "":
		path, err = file.Keep(m)
	default:
		var text []byte
		if text, err = file.Text(); err == nil {
			err = table.WriteFile(c.Context(), out, func(w io.Writer) error { _, err := w.Write(text); return err })
		}
	}
	if err != nil {
		return err
	}
	if path == "" {
		fmt.Fprintln(c.ErrOrStderr(), "kgen: nothing is kept of a quick calibration: --out FILE writes it")
	} else {
		fmt.Fprintf(c.ErrOrStderr(), "kgen: wrote %s\n", path)
	}
	if asJSON {
		return writeJSON(c.OutOrStdout(), file)
	}
	return writeCalibration(c.OutOrStdout(), file)
}

// writeCalibration prints what was measured.
func writeCalibration(out io.Writer, f *calibrate.File) error {
	rate := f.Machine.Rates
	rows := [][]string{{"WHAT", "TABLE", "MEASURED"},
		{"memory", "", fmt.Sprintf("%.1f GB/s", rate[plan.RateMemory]/1e9)},
		{"launch", "", explore.Nanoseconds(1e9 * rate[plan.RateLaunch])}}
	for _, name := range []string{plan.RateCall, plan.RatePrefix} {
		if seconds, ok := rate[name]; ok {
			rows = append(rows, []string{name, "", explore.Nanoseconds(1e9 * seconds)})
		}
	}
	for _, name := range []string{plan.RateOperator, plan.RateDear, plan.RateQuotient, plan.RateLoop, plan.RateScan, plan.RateLookback, plan.RateBeside, plan.RateWaiting, plan.RateStoring, plan.RateClosing, plan.RateSelect, plan.RateBranch} {
		if seconds, ok := rate[name]; ok {
			rows = append(rows, []string{name, "", fmt.Sprintf("%.3f ns a row", 1e9*seconds)})
		}
	}
	for _, name := range []string{plan.CurveGather, plan.CurveLocal, plan.CurveTile, plan.CurveAtomic, plan.CurveSearch, plan.CurveHashed} {
		for _, p := range f.Machine.Curves[name] {
			rows = append(rows, []string{name, explore.Bytes(p.Bytes), fmt.Sprintf("%.3f ns a row", 1e9*p.Seconds)})
		}
	}
	fmt.Fprintf(out, "%s (%s)\n", f.Name, f.Machine.Device)
	if err := explore.WriteTable(out, rows); err != nil {
		return err
	}
	for _, note := range f.Notes {
		fmt.Fprintf(out, "%s\n", note)
	}
	return nil
}

// predict returns the seconds of a program by the model.
func predict(p *fuse.Program, m plan.Machine, lengths map[string]int64) (float64, error) {
	e, err := explainFor(p, m, fuse.Known{Lengths: lengths})
	if err != nil {
		return 0, err
	}
	return e.Total.Predicted / 1e9, nil
}

// calibrationBench times probes on a device.
type calibrationBench struct {
	device  *exploring
	space   *memory.Space
	waiting *waiting
	what    string // is being measured
}

// A probe is repeated until half of the confidence interval of its median is below
// probeWidth, or for probeTime: so all take less than a minute. Each call repeats it as often as
// fits, within probeLeast and probeMost.
const (
	probeWidth = 0.03
	probeTime  = 500 * time.Millisecond
	probeLeast = 3
	probeMost  = 7
)

// mostCompiling is how many processes compile at most.
const mostCompiling = 8

// Compile implements [calibrate.Bench]: by several processes, since drivers compile one kernel after
// the other. They leave what they compile in caches.
func (b *calibrationBench) Compile(ctx context.Context, list []*calibrate.Probe) {
	next := make(chan *calibrate.Probe)
	var all sync.WaitGroup
	for n := range min(mostCompiling, runtime.NumCPU(), len(list)) {
		all.Go(func() {
			device := b.device
			if n > 0 {
				var err error
				if device, err = openExploreDevice(ctx, device.name, declaredMachine, b.space, nil); err != nil {
					return
				}
				defer device.close()
			}
			for p := range next {
				if ready, err := b.ready(ctx, device, p, device.machine()); err == nil {
					ready.run(ctx, 1)
					ready.close()
				}
			}
		})
	}
	for _, p := range list {
		b.waiting.on(b.what)
		next <- p
	}
	close(next)
	all.Wait()
}

// readyProbe is a probe with its columns.
type readyProbe struct {
	exploreProgram
	fused *fuse.Program
	data  *exploreData
	free  func()
}

func (r *readyProbe) close() {
	r.exploreProgram.close()
	r.free()
}

// ready makes the columns of a probe, and compiles it for a machine.
func (b *calibrationBench) ready(ctx context.Context, device *exploring, p *calibrate.Probe, m plan.Machine) (*readyProbe, error) {
	s, err := loadText("probe.kg", "", []byte(p.Text), false, io.Discard)
	if err != nil {
		return nil, err
	}
	schedule, err := build.ParseSchedule(p.Schedule)
	if err != nil {
		return nil, err
	}
	probed := &explored{"probe.kg", s, s.Pipelines[0]}
	r := &readyProbe{data: &exploreData{explored: probed}}
	if _, r.fused, err = build.CompileFor(s, probed.pipeline, m, device.backend(), p.Level, schedule); err != nil {
		return nil, err
	}
	r.free = func() {
		for _, c := range r.data.columns {
			b.space.Free(raw.Bytes(c))
		}
	}
	for _, made := range p.Columns() {
		data, err := b.space.New(int64(len(raw.Bytes(made))))
		if err != nil {
			r.free()
			return nil, err
		}
		copy(data, raw.Bytes(made))
		r.data.columns = append(r.data.columns, raw.FromBytes(made.Kind, data))
	}
	if r.exploreProgram, err = device.prepare(ctx, exploreJob{probed, nil, p.Level, schedule, r.data.columns, b.space, b.waiting}); err != nil {
		r.free()
		return nil, err
	}
	return r, nil
}

// Time implements [calibrate.Bench].
func (b *calibrationBench) Time(ctx context.Context, p *calibrate.Probe, m plan.Machine) (t calibrate.Timing, err error) {
	program, err := b.ready(ctx, b.device, p, m)
	if err != nil {
		return t, err
	}
	defer program.close()
	out, err := program.run(ctx, 1) // to warm up
	if err != nil {
		return t, err
	}
	atOnce := min(max(int(probeTime/time.Duration(max(slices.Min(out.Samples), 1))), probeLeast), probeMost)
	for begun := time.Now(); ; {
		b.waiting.on(b.what)
		if out, err = program.run(ctx, atOnce); err != nil {
			return t, err
		}
		t.Samples = append(t.Samples, out.Samples...)
		if s := explore.Summarize(t.Samples); s.Width() <= probeWidth || time.Since(begun) >= probeTime {
			break
		}
	}
	t.Seconds = float64(slices.Min(t.Samples)) / 1e9 // what else a machine does only makes samples longer
	t.Predicted, err = predict(program.fused, m, program.data.lengths(out.Columns))
	return t, err
}
