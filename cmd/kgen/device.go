package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/kgen-go/kgen/backends/cuda/emu"
	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/internal/interp"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// device is a place where pipelines run.
type device struct {
	name  string
	probe func(context.Context) (detail string, err error)
	// prepare does everything that can fail before data is read.
	prepare func(context.Context, request) (*executable, error)
	machine plan.Machine // its properties, for plans that use some
}

// request is a run that a device has to perform.
type request struct {
	source   *source
	pipeline *ir.Pipeline
	level    string // "" is the default of the device
	workers  int
	schedule plan.Schedule // of kernels of work-groups
	limit    int64         // bytes of device memory; 0 is none
	timeout  time.Duration // of a run by a worker; 0 is its default
	repeat   int           // how often a worker repeats the device's work
	trace    bool          // whether each step is timed
	waiting  *waiting      // says what takes long
}

// executable is a pipeline that is ready to run.
type executable struct {
	steps []step // what compilers have taken
	// footprint returns the memory of the run, given an extent per parameter.
	footprint func([]table.Extent) plan.Footprint
	// run takes one column per parameter, in memory of the space. Afterwards only
	// the results are in use.
	run func(context.Context, *memory.Space, []ir.Column) (outcome, error)
}

// outcome is the outcome of a run.
type outcome struct {
	columns []ir.Column
	level   string        // of the plan that ran; "" if the device has no levels
	kernels []plan.Kernel // of the plan that ran
	steps   []step
	times   []time.Duration // of repetitions
	notes   []string        // for the user, about how it ran
}

// devices lists all devices. The first is the default; if it is unavailable, no
// other device replaces it.
var devices = []device{
	{name: "gocpu", probe: probeGoCPU, prepare: prepareGoCPU},
	{name: "interp", probe: probeInterp, prepare: prepareInterp},
	{name: "cudaemu", probe: probeCUDAEmulation, prepare: prepareCUDAEmulation(emu.Options{}), machine: emu.Machine(emu.Options{})},
}

func deviceByName(name string) (*device, error) {
	var names []string
	for i := range devices {
		if devices[i].name == name {
			return &devices[i], nil
		}
		names = append(names, devices[i].name)
	}
	if text, ok := strings.CutPrefix(name, "cudaemu:"); ok {
		options, err := parseCUDAEmulation(text)
		return &device{name: name, prepare: prepareCUDAEmulation(options)}, err
	}
	driver, number, err := driverByDevice(name)
	if err != nil {
		return nil, err
	}
	if driver != nil {
		return &device{name: name, prepare: func(ctx context.Context, r request) (*executable, error) {
			return driver.prepare(ctx, r, number)
		}}, nil
	}
	for _, d := range drivers {
		names = append(names, d.name+":0 and on")
	}
	return nil, usageErrorf("unknown device %s; there are %s", name, strings.Join(names, ", "))
}

func probeInterp(context.Context) (string, error) {
	return "the reference interpreter: all operators, one at a time, slowly", nil
}

func prepareInterp(_ context.Context, r request) (*executable, error) {
	if r.level != "" {
		return nil, usageErrorf("device interp runs operators one at a time and has no fusion levels: leave out --fuse %s", r.level)
	}
	if err := build.RefuseSchedule("device interp", r.schedule); err != nil {
		return nil, err
	}
	if err := refuseFlags("interp", r); err != nil {
		return nil, err
	}
	if r.limit > 0 {
		return nil, usageErrorf("device interp keeps the value of every operator, however much that is: leave out --memory-limit")
	}
	return &executable{
		footprint: func(extents []table.Extent) plan.Footprint {
			f := plan.Footprint{Unknown: true} // it keeps the value of every operator
			for i, p := range r.pipeline.Params {
				f.Input += extents[i].Rows * int64(p.Type.Kind.Size())
			}
			return f
		},
		run: func(ctx context.Context, _ *memory.Space, in []ir.Column) (outcome, error) {
			return interpret(ctx, r.pipeline, in)
		},
	}, nil
}

// refuseFlags refuses the flags of some devices that this device does not have:
// all except the named ones.
func refuseFlags(device string, r request, takes ...string) error {
	for _, flag := range []struct {
		name   string
		asked  bool
		reason string
	}{
		{"--workers", r.workers > 0, "takes no number of cores"},
		{"--time-limit", r.timeout > 0, "has no driver that could hang, and ends by Ctrl-C"},
		{"--repeat", r.repeat > 0, "has no clock of its own that this could read"},
	} {
		if flag.asked && !slices.Contains(takes, flag.name) {
			return usageErrorf("device %s %s: leave out %s", device, flag.reason, flag.name)
		}
	}
	return nil
}

// interpret runs the interpreter, which cannot be stopped: if ctx ends, its
// result is abandoned.
func interpret(ctx context.Context, p *ir.Pipeline, in []ir.Column) (outcome, error) {
	type answer struct {
		columns []ir.Column
		err     error
	}
	start := time.Now()
	done := make(chan answer, 1)
	go func() {
		columns, err := interp.Run(p, in)
		done <- answer{columns, err}
	}()
	select {
	case a := <-done:
		return outcome{columns: a.columns, steps: []step{{"interpret", time.Since(start)}}}, a.err
	case <-ctx.Done():
		return outcome{}, ctx.Err()
	}
}
