package kgen

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/internal/tuning"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Executable is a program that is ready to run on a device. It is safe for concurrent use.
type Executable struct {
	program *Program
	device  *Device
	runner  runner
}

type settings struct {
	level    string
	schedule plan.Schedule
	workers  int
	machine  plan.Machine     // whose rates decide at level auto; the zero value is a declared one
	rows     map[string]int64 // for which level auto chooses; nil for those of each call, or what is assumed
	embedded embedded         // kernels to run as they are, where the device can
	tuning   tuning.Program
	over     string // of shards
}

// Setting is an option of [Program.On]. Settings change how a program runs, never what it
// returns.
type Setting func(*settings) error

// Level chooses the fusion level: none, paper3, paper2, onepass, auto, or a plan by hand. ""
// is the default of the device.
func Level(level string) Setting {
	return func(s *settings) error {
		s.level = level
		return nil
	}
}

// Schedule chooses the shape of kernels of work-groups, as the flag --schedule does:
// "ids=static,workgroup=256".
func Schedule(text string) Setting {
	return func(s *settings) (err error) {
		s.schedule, err = build.ParseSchedule(text)
		return err
	}
}

// Shape is Schedule for one that has been read.
func Shape(schedule plan.Schedule) Setting {
	return func(s *settings) error {
		s.schedule = schedule
		return nil
	}
}

// CostsOf has level auto choose by the rates of a machine, as kgen devices --calibrate measures
// them, in place of those that kgen declares.
func CostsOf(m plan.Machine) Setting {
	return func(s *settings) error {
		s.machine = m
		return nil
	}
}

// RowsOf has level auto choose for so many rows of each domain of the parameters, by its name.
// Without it, devices that are driven choose by the rows of each call, in classes: a plan for up
// to 2^20 rows, and for more one for every power of 4, which the first call of a class compiles
// if it has other kernels. GPUs whose costs are known ([CostsOf]) have one for up to 2^16 rows, too. Devices gocpu and vector choose once, for 2^20 rows.
func RowsOf(rows map[string]int64) Setting {
	return func(s *settings) error {
		s.rows = rows
		return nil
	}
}

// Workers bounds the cores that a run on gocpu or vector takes; 0 is all that pay.
func Workers(n int) Setting {
	return func(s *settings) error {
		if n < 0 {
			return usage("%d workers: at least 1, or 0 for all cores that pay", n)
		}
		s.workers = n
		return nil
	}
}

// On compiles the program for a device. What compilers make is cached on disk; the executable
// keeps a process and compiled kernels until it is closed.
func (p *Program) On(ctx context.Context, d *Device, options ...Setting) (*Executable, error) {
	var s settings
	for _, option := range options {
		if err := option(&s); err != nil {
			return nil, err
		}
	}
	if s.over != "" {
		return nil, usage("Over(%q): On runs over all rows; Shards takes pieces of them", s.over)
	}
	if s.level == "" && s.schedule == (plan.Schedule{}) {
		s.embedded = p.embedded
	}
	if err := d.use(); err != nil {
		return nil, err
	}
	r, err := d.driver.compile(ctx, p, s)
	if err != nil {
		return nil, err
	}
	e := &Executable{p, d, r}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		r.close()
		return nil, &ClosedError{d.name}
	}
	d.open[e] = true
	return e, nil
}

// Close ends the process or forgets the kernels of the executable.
func (e *Executable) Close() error {
	e.device.mutex.Lock()
	defer e.device.mutex.Unlock()
	if e.device.open[e] {
		delete(e.device.open, e)
		e.runner.close()
	}
	return nil
}

// Compiled returns what compilers took, or the cache that spared them.
func (e *Executable) Compiled() []Step { return e.runner.compiled() }

// Footprint returns the memory that a run needs at most, given the rows of each domain of
// the parameters and the values of the scalar parameters of kind i64, by their names.
func (e *Executable) Footprint(rows, scalars map[string]int64) plan.Footprint {
	return e.runner.footprint(rows, scalars)
}

// Names of the steps of [Executable.Compiled].
const (
	StepCompile = worker.StepCompile
	StepCached  = worker.StepCached
)

// Step is a part of a run: a compiler, a kernel, a transfer.
type Step struct {
	Name    string        `json:"name"`
	Elapsed time.Duration `json:"ns"`
}

// RunOption is an option of [Executable.Run].
type RunOption func(*runOptions)

type runOptions struct {
	keep    []string
	keepAll bool
	coded   bool
	trace   bool
	repeat  int
	consume bool
	into    []destination
	tuning  tuning.Run
}

// Coded says that texts are places in a dictionary of the caller's, as emitted functions take
// them: arguments of kind text are an int32, a []int32, or a [Column] of either, and so are
// the texts that the pipeline itself names, under the names of [ir.Pipeline.Params]. Results
// are places, too.
func Coded() RunOption { return func(o *runOptions) { o.coded = true } }

// Keep leaves result columns on the device, until they are freed.
func Keep(names ...string) RunOption {
	return func(o *runOptions) { o.keep = append(o.keep, names...) }
}

// KeepAll leaves all result columns on the device, until they are freed.
func KeepAll() RunOption { return func(o *runOptions) { o.keepAll = true } }

// Trace measures each step of the run. On devices with a driver waiting for the end of each
// makes the run slower.
func Trace() RunOption { return func(o *runOptions) { o.trace = true } }

// Repeat does the work so many times more: on a device with a driver fills and kernels alone, by
// the device's own clock; on gocpu whole calls, with the memory of the first.
func Repeat(times int) RunOption { return func(o *runOptions) { o.repeat = times } }

// Results are what a run returned.
type Results struct {
	columns []*Column
	names   []string // of the columns

	Level   string          // the fusion level that ran; "" if the device has none
	Kernels []plan.Kernel   // of the plan that ran
	Steps   []Step          // of a traced run
	Times   []time.Duration // of repetitions
	Used    []time.Duration // of repetitions on gocpu: the processor time of all threads, 0 where the system does not say
	Alone   []Step          // of traced repetitions: each kernel, one after the other
	GaveUp  []GiveUpError   // of a plan and its fallbacks, whose successor made the results
	Notes   []string        // for the user, about how it ran

	parts worker.Parts // of a device with a driver
}

func newResults(done outcome) *Results {
	return &Results{Level: done.level, Kernels: done.kernels, Steps: done.steps, Times: done.times, Used: done.used, Alone: done.alone, GaveUp: done.gaveUp, Notes: done.notes, parts: done.parts}
}

// Column returns a result by its name; a scalar is a column of one row. It is nil if there is
// none, which [Read] reports.
func (r *Results) Column(name string) *Column {
	if i := slices.Index(r.names, name); i >= 0 {
		return r.columns[i]
	}
	return nil
}

// Names returns the names of the results, in order.
func (r *Results) Names() []string { return r.names }

// Free frees the columns that stay on the device.
func (r *Results) Free() {
	for _, c := range r.columns {
		c.Free()
	}
}

// Scalar returns a scalar result, of which T is the Go type.
func Scalar[T Element](r *Results, name string) (T, error) {
	var zero T
	rows, err := Read[T](context.Background(), r.Column(name))
	if err != nil {
		return zero, err
	}
	if len(rows) != 1 {
		return zero, &ArgumentError{name, fmt.Sprintf("it is a column of %d rows, not a scalar", len(rows))}
	}
	return rows[0], nil
}

// Run runs the program. Results are in ordinary memory of this process, unless options keep
// them on the device. The error is an [ArgumentError] if an argument does not fit, a
// [CheckError] if the data fails a check, and else one of the device; wrapped errors of ctx
// say that it has ended.
func (e *Executable) Run(ctx context.Context, args Args, options ...RunOption) (*Results, error) {
	var o runOptions
	for _, option := range options {
		option(&o)
	}
	if err := e.device.use(); err != nil {
		return nil, err
	}
	p := e.program.pipeline
	b, columns, err := e.program.bind(e.device, args, o.coded)
	if err != nil {
		return nil, err
	}
	keep := make([]bool, len(p.Results))
	for i, r := range p.Results {
		keep[i] = r.Value.Type.Domain != nil && (o.keepAll || slices.Contains(o.keep, r.Label))
	}
	for _, name := range o.keep {
		if !slices.ContainsFunc(p.Results, func(r ir.Result) bool { return r.Label == name }) {
			return nil, &ArgumentError{name, fmt.Sprintf("pipeline %s has no such result to keep", p.Name)}
		}
	}
	if err := o.checkInto(p, keep); err != nil {
		return nil, err
	}
	done, err := e.runner.run(ctx, call{columns: columns, keep: keep, limit: e.device.limitOf(args), trace: o.trace, repeat: o.repeat, tuning: o.tuning})
	if err != nil {
		return nil, e.failure(err)
	}
	r := newResults(done)
	for i, result := range p.Results {
		kind := result.Value.Type.Kind
		c := &Column{kind: kind, stored: kind.Stored(), content: done.columns[i]}
		if kind == ir.Text {
			c.texts = b.texts
		}
		switch to := o.destination(result.Label); {
		case keep[i]:
			c.device, c.held = e.device, c.content.Bytes()
			e.device.held.Add(c.held)
		case to != nil:
			c.content.Data = to.take(e.device, c.content.Data)
		default:
			c.content.Data = e.device.settle(c.content.Data)
		}
		r.columns, r.names = append(r.columns, c), append(r.names, result.Label)
	}
	return r, nil
}

// Consume has RunColumns free the columns that it is given as soon as they have been read, if
// they lie in [Device.Space].
func Consume() RunOption { return func(o *runOptions) { o.consume = true } }

// RunColumns is Run for commands of this module: it takes a column for each parameter,
// constants of type text included; the columns of the results lie in [Device.Space], for the
// caller to free, or in ordinary memory. The Results have no columns.
func (e *Executable) RunColumns(ctx context.Context, in []ir.Column, options ...RunOption) ([]ir.Column, *Results, error) {
	var o runOptions
	for _, option := range options {
		option(&o)
	}
	p := e.program.pipeline
	c := call{keep: make([]bool, len(p.Results)), limit: e.device.limitOf(nil), trace: o.trace, repeat: o.repeat, consume: o.consume, tuning: o.tuning}
	for _, column := range in {
		one := exec.Column{Kind: plan.Kind(column.Kind.String())}
		if column.Slice != nil { // or it is the default of a scalar
			one.Data = raw.Bytes(column)
		}
		c.columns = append(c.columns, one)
	}
	done, err := e.runner.run(ctx, c)
	if err != nil {
		return nil, nil, e.failure(err)
	}
	var out []ir.Column
	for i, result := range p.Results {
		out = append(out, raw.FromBytes(result.Value.Type.Kind, done.columns[i].Data))
	}
	ir.ShareTexts(out, in)
	return out, newResults(done), nil
}

// settle moves bytes out of the device's space, into memory that the garbage collector frees.
func (d *Device) settle(data []byte) []byte {
	if _, shared := d.space.Path(data); !shared {
		d.space.Free(data)
		return data
	}
	settled := memory.Aligned(int64(len(data)))
	copy(settled, data)
	d.space.Free(data)
	return settled
}

// failure gives an error of a run the place in the text and the names of the caller.
func (e *Executable) failure(err error) error {
	var check *ir.CheckError
	var input *exec.InputError
	switch {
	case errors.As(err, &check):
		return e.program.Failed(check)
	case errors.As(err, &input):
		return &ArgumentError{input.Port, input.Problem}
	}
	return limited(err)
}
