package kgen

import (
	"context"
	"strings"
	"time"

	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/backends/opencl"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/internal/kernels"
	"github.com/kgen-go/kgen/plan"
)

// workerKind describes the devices NAME:0, NAME:1, ... of a worker program.
type workerKind struct {
	program worker.Program
	emitter kernels.Emitter
}

// workers are the worker programs by the names of their devices.
var workers = map[string]workerKind{
	"opencl": {worker.OpenCL, opencl.Emitter()},
	"cuda":   {worker.CUDA, cuda.Emitter()},
}

// grace is how long a call may go on after its context has ended, before its process is
// killed, and with it the columns of all: most calls end within.
const grace = time.Second

// workerDevice is a device that a worker program drives.
type workerDevice struct {
	workerKind
	device *Device
	number int
	client *worker.Client
}

func openWorker(d *Device, rest string) (driver, error) {
	number, err := deviceNumber(d.name, rest)
	if err != nil {
		return nil, err
	}
	prefix, _, _ := strings.Cut(d.name, ":")
	w := &workerDevice{workerKind: workers[prefix], device: d, number: number}
	options := worker.Options{Program: w.program, Space: d.space, Limit: d.options.timeout, Grace: grace,
		Doing: func(what string) { d.options.waiting("waiting for " + what) }}
	if tune := d.options.tuning.Worker; tune != nil {
		tune(&options)
	}
	w.client, err = worker.Open(context.Background(), options)
	return w, err
}

func (w *workerDevice) machine(ctx context.Context) (plan.Machine, error) {
	d, err := w.description(ctx)
	return d.Machine, err
}

// description returns what the driver program lists of the device.
func (w *workerDevice) description(ctx context.Context) (Description, error) {
	listing, err := w.client.List(ctx)
	if err == nil && w.number >= len(listing.Devices) {
		err = usage("there is no device %s; there are %d", w.device.name, len(listing.Devices))
	}
	if err != nil {
		return Description{}, err
	}
	return listing.Devices[w.number], nil
}

func (w *workerDevice) compile(ctx context.Context, p *Program, s settings) (runner, error) {
	emitter := w.emitter
	if m, err := w.machine(ctx); err == nil {
		emitter = emitter.On(m)
	}
	s.schedule = emitter.ForDrivers(s.schedule)
	return newKernelRunner(w.device, p, s, emitter, w)
}

func (w *workerDevice) launch(ctx context.Context, code *loadedCode, in exec.Inputs, keep []string, c call) (*worker.Result, error) {
	loaded, err := w.load(code)
	if err != nil {
		return nil, err
	}
	return w.client.Run(ctx, worker.Request{Loaded: loaded, Inputs: in, Keep: keep, Memory: c.limit, Trace: c.trace, Repeat: c.repeat})
}

// load has the worker keep code, once.
func (w *workerDevice) load(code *loadedCode) (*worker.Loaded, error) {
	w.device.mutex.Lock()
	defer w.device.mutex.Unlock()
	if code.kept == nil {
		loaded, err := w.client.Load(worker.Code{Device: w.number, Plan: code.Plan, Texts: code.Texts(), Build: code.Options, Passing: code.passing})
		if err != nil {
			return nil, err
		}
		code.kept = loaded
	}
	return code.kept.(*worker.Loaded), nil
}

func (w *workerDevice) unload(code *loadedCode) {
	if code.kept != nil {
		code.kept.(*worker.Loaded).Unload()
	}
}

func (w *workerDevice) upload(ctx context.Context, size int64, fill func([]byte) error) (exec.Column, error) {
	staged, err := w.device.space.Reserve(size) // the process maps it
	if err != nil {
		return exec.Column{}, err
	}
	defer w.device.space.Free(staged)
	if err := fill(staged); err != nil {
		return exec.Column{}, err
	}
	m, err := w.client.Upload(ctx, w.number, staged)
	if err != nil {
		return exec.Column{}, err
	}
	return exec.Column{Resident: &exec.Resident{Memory: m, Bytes: m.Bytes()}}, nil
}

func (w *workerDevice) download(ctx context.Context, c exec.Column) ([]byte, error) {
	return w.client.Download(ctx, c.Resident.Memory.(*worker.Memory))
}

func (w *workerDevice) free(c exec.Column) { c.Resident.Memory.(*worker.Memory).Free() }

func (w *workerDevice) close() { w.client.Close() }
