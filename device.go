package kgen

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kgen-go/kgen/backends/cuda/emu"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/internal/tuning"
	"github.com/kgen-go/kgen/plan"
)

// Device is a place where programs run and columns stay. It is safe for concurrent use;
// calls to one device take turns.
type Device struct {
	name    string
	options deviceOptions
	space   *memory.Space // of the host, that processes of the device map
	driver  driver

	mutex     sync.Mutex
	closed    bool
	open      map[*Executable]bool
	abandoned int // runs that cannot be stopped and may read the space

	held atomic.Int64 // bytes of columns that stay
}

type deviceOptions struct {
	limit   int64
	timeout time.Duration
	waiting func(string)
	space   *memory.Space // of several devices; nil for one that ends with the device
	tuning  tuning.Device
}

// DeviceOption is an option of [Open].
type DeviceOption func(*deviceOptions)

// MemoryLimit bounds the bytes of columns: on the device, and on the host those that its
// process reads and writes. 0 is no limit.
func MemoryLimit(bytes int64) DeviceOption { return func(o *deviceOptions) { o.limit = bytes } }

// DefaultTimeLimit is that of devices with a driver.
const DefaultTimeLimit = worker.DefaultLimit

// TimeLimit bounds the time of one call on a device with a driver, and of one kernel in the
// emulation; the default is [DefaultTimeLimit].
func TimeLimit(limit time.Duration) DeviceOption {
	return func(o *deviceOptions) { o.timeout = limit }
}

// Waiting calls a function with what a call begins to wait for, such as a compiler, and with
// "" when it goes on.
func Waiting(on func(what string)) DeviceOption {
	return func(o *deviceOptions) { o.waiting = on }
}

// InSpace has several devices share memory of the host. It is for commands of this module,
// which run the same columns on each.
func InSpace(space *memory.Space) DeviceOption { return func(o *deviceOptions) { o.space = space } }

// driver is a kind of device.
type driver interface {
	// machine describes the device.
	machine(context.Context) (plan.Machine, error)
	// compile does everything that can fail before data is there.
	compile(context.Context, *Program, settings) (runner, error)
	// upload makes a column of so many bytes: fill writes them to memory of the host, from
	// where they go to the device at once, or where they stay.
	upload(ctx context.Context, size int64, fill func([]byte) error) (exec.Column, error)
	// download returns the bytes of a column; they lie in the device's space.
	download(context.Context, exec.Column) ([]byte, error)
	// free ends the use of a column.
	free(exec.Column)
	close()
}

// runner is a program compiled for a device.
type runner interface {
	// compiled returns what compilers took.
	compiled() []Step
	// footprint returns the memory of a run: rows by domain, scalars of kind i64 by name.
	footprint(rows, scalars map[string]int64) plan.Footprint
	// run takes a column per parameter; scalars are columns of one row. The columns of the
	// outcome are where the driver keeps columns if the call asks for that; those of the
	// host lie in the device's space.
	run(context.Context, call) (outcome, error)
	close()
}

// call is one run.
type call struct {
	columns []exec.Column // per parameter
	keep    []bool        // per result
	limit   int64         // bytes that the run may use, with its columns; 0 is no limit
	trace   bool
	repeat  int
	consume bool // columns may be freed as soon as they have been read
	tuning  tuning.Run
}

// outcome is what a run returned.
type outcome struct {
	columns []exec.Column // per result
	level   string        // "" if the device has no levels
	kernels []plan.Kernel
	steps   []Step
	times   []time.Duration
	used    []time.Duration // processor time of repetitions
	alone   []Step          // kernels of repetitions
	gaveUp  []exec.GiveUpError
	notes   []string
	parts   worker.Parts
}

// kind of device, by its name or by that before a colon.
type kind struct {
	name    string
	open    func(d *Device, rest string) (driver, error)
	probe   func(context.Context) (detail string, err error) // nil: a driver program lists its devices
	machine plan.Machine                                     // of plans that use its properties
}

// kinds lists the kinds of devices. A new one is a new line.
var kinds = []kind{
	{name: "gocpu", open: openGo, probe: probeGo},
	{name: "vector", open: openVector, probe: probeVector},
	{name: "interp", open: openInterpreter, probe: probeInterpreter},
	{name: "cudaemu", open: openEmulation, probe: probeEmulation, machine: emu.Machine(emu.Options{})},
	{name: "opencl", open: openWorker},
	{name: "cuda", open: openWorker},
}

// Open opens a device by its name, as kgen devices lists them: gocpu, interp, cudaemu,
// opencl:0, cuda:0 and so on. Devices with a driver of their own start their process here;
// the error is then a [MissingError] or [StartError] if they cannot.
func Open(ctx context.Context, name string, options ...DeviceOption) (*Device, error) {
	d := &Device{name: name, open: map[*Executable]bool{}}
	for _, option := range options {
		option(&d.options)
	}
	if d.options.limit < 0 || d.options.timeout < 0 {
		return nil, usage("device %s: a limit of %d bytes and %v; both are at least 0", name, d.options.limit, d.options.timeout)
	}
	if d.options.waiting == nil {
		d.options.waiting = func(string) {}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	kind := kindOf(name)
	if kind == nil {
		return nil, unknownDevice(name)
	}
	if d.space = d.options.space; d.space == nil {
		d.space = memory.NewSpace(d.options.limit)
	}
	var err error
	_, rest, _ := strings.Cut(name, ":")
	if d.driver, err = kind.open(d, rest); err != nil {
		d.closeSpace()
		return nil, err
	}
	return d, nil
}

func unknownDevice(name string) error {
	return usage("unknown device %s; there are gocpu, vector, interp, cudaemu, opencl:0 and on, cuda:0 and on", name)
}

// deviceNumber reads the number of a device behind the colon.
func deviceNumber(name, rest string) (int, error) {
	number, err := strconv.Atoi(rest)
	if err != nil || number < 0 {
		prefix, _, _ := strings.Cut(name, ":")
		return 0, usage("device %s: %s:0 is the first, as kgen devices lists them", name, prefix)
	}
	return number, nil
}

// Name returns the name by which the device was opened.
func (d *Device) Name() string { return d.name }

// Machine describes what the device is, with its driver. Those that run plans on devices of
// their own have the properties that plans may depend on.
func (d *Device) Machine(ctx context.Context) (plan.Machine, error) {
	if err := d.use(); err != nil {
		return plan.Machine{}, err
	}
	return d.driver.machine(ctx)
}

// Space returns the host's memory that processes of the device map. It is for commands of
// this module, which read files into it.
func (d *Device) Space() *memory.Space { return d.space }

// Close ends the device's processes. Columns and executables of the device can not be used
// any more.
func (d *Device) Close() error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	for e := range d.open {
		e.runner.close()
	}
	clear(d.open)
	d.driver.close()
	if d.abandoned == 0 {
		d.closeSpace()
	}
	return nil
}

func (d *Device) closeSpace() {
	if d.options.space == nil {
		d.space.Close()
	}
}

// abandon leaves a run to itself until wait returns; the space outlives it.
func (d *Device) abandon(wait func()) {
	d.mutex.Lock()
	d.abandoned++
	d.mutex.Unlock()
	go func() {
		wait()
		d.mutex.Lock()
		defer d.mutex.Unlock()
		if d.abandoned--; d.abandoned == 0 && d.closed {
			d.closeSpace()
		}
	}()
}

// hold counts the bytes of a column that is to stay, unless that exceeds the limit.
func (d *Device) hold(bytes int64) error {
	held := d.held.Add(bytes)
	if limit := d.options.limit; limit > 0 && held > limit {
		d.held.Add(-bytes)
		return &AllocError{Buffer: "column", Bytes: bytes, InUse: held - bytes, Limit: limit}
	}
	return nil
}

// limitOf returns how many bytes a run may use, with its arguments, beside the other columns
// that stay; 0 is no limit.
func (d *Device) limitOf(args Args) int64 {
	if d.options.limit == 0 {
		return 0
	}
	others := d.held.Load()
	for _, arg := range args {
		if c, ok := arg.(*Column); ok && c != nil && c.device == d {
			others -= c.held
		}
	}
	return max(d.options.limit-others, 1)
}

// use reports whether the device is open.
func (d *Device) use() error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return &ClosedError{d.name}
	}
	return nil
}
