package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/backends/cuda/emu"
	"github.com/kgen-go/kgen/backends/opencl"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/internal/kernels"
	"github.com/kgen-go/kgen/internal/memory"
)

// device runs emitted kernels.
type device interface {
	emitter() kernels.Emitter
	// run runs a program and repeats the device's work.
	run(ctx context.Context, made *kernels.Program, in exec.Inputs, repeat repetitions) (*outcome, error)
	close()
}

// repetitions are how often the device's work is done, and whether once more with a time
// for each launch.
type repetitions struct {
	times    int
	launches bool
}

// outcome has the results of the last repetition, in the space, and what all took.
type outcome struct {
	*exec.Result
	times    []time.Duration
	launches []worker.LaunchTime
}

// openDevice opens a device by its name in kgen run.
func openDevice(ctx context.Context, name string, space *memory.Space) (device, error) {
	if name == "cudaemu" {
		e, err := emu.New(ctx, emu.Options{})
		if err != nil {
			return nil, err
		}
		return emulated{e}, nil
	}
	driver, text, _ := strings.Cut(name, ":")
	number, err := strconv.Atoi(text)
	d := &driven{number: number}
	program := worker.CUDA
	switch {
	case err == nil && driver == "cuda":
		d.emits = cuda.Emitter()
	case err == nil && driver == "opencl":
		d.emits, program = opencl.Emitter(), worker.OpenCL
	default:
		return nil, fmt.Errorf("device %s: there are cuda:0 and on, opencl:0 and on, and cudaemu", name)
	}
	if d.client, err = worker.Open(ctx, worker.Options{Program: program, Space: space}); err != nil {
		return nil, err
	}
	listing, err := d.client.List(ctx)
	if err == nil && number < len(listing.Devices) { // a run says what is wrong
		d.emits = d.emits.On(listing.Devices[number].Machine)
	}
	return d, nil
}

func isOpenCL(name string) bool { return strings.HasPrefix(name, "opencl:") }

// driven is a device that a worker drives.
type driven struct {
	emits  kernels.Emitter
	client *worker.Client
	number int
}

func (d *driven) emitter() kernels.Emitter { return d.emits }
func (d *driven) close()                   { d.client.Close() }

func (d *driven) run(ctx context.Context, made *kernels.Program, in exec.Inputs, repeat repetitions) (*outcome, error) {
	result, err := d.client.Run(ctx, worker.Request{Code: worker.Code{Device: d.number, Plan: made.Plan, Texts: made.Texts(), Build: made.Options},
		Inputs: in, Repeat: repeat.times, Trace: repeat.launches})
	if err != nil {
		return nil, err
	}
	return &outcome{&result.Result, result.Times, result.Launches}, nil
}

// emulated is CUDA on the CPU, which tests the bench without a GPU: it times
// whole runs, so its times mean nothing.
type emulated struct{ *emu.Emulator }

func (emulated) emitter() kernels.Emitter { return cuda.Emitter() }
func (e emulated) close()                 { e.Close() }

func (e emulated) run(ctx context.Context, made *kernels.Program, in exec.Inputs, _ repetitions) (*outcome, error) {
	start := time.Now()
	result, err := e.Run(ctx, emu.Request{Plan: made.Plan, Texts: made.Texts(), Inputs: in})
	return &outcome{Result: result, times: []time.Duration{time.Since(start)}}, err
}
