package exec

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/kgen-go/kgen/plan"
)

// Options change how a plan runs, never what it returns.
type Options struct {
	Memory   int64       // maximum of device memory in bytes; 0 is no limit
	PartRows int64       // maximum of rows of a part, rounded as the plan requires; 0 leaves it to the plan
	Event    func(Event) // called after each step; waiting for the end of each step makes the run slower

	// Settled is called after all kernels of the successful plan have been
	// queued, before its results are read. It may run them again; if one gives up
	// then, the plan does, too.
	Settled func() error

	// Place returns the memory for a result column of the given bytes, at least
	// 1; nil lets the executor allocate it.
	Place func(port string, bytes int64) []byte

	// Keep reports whether a result column stays in memory of the device, which is
	// then the caller's to free; nil keeps none.
	Keep func(port string) bool

	Valid bool // the plan is known to be valid
}

// Event is a step that has run.
type Event struct {
	Step       string // the step's key in JSON, or import, or fallback
	Name       string // the kernel or buffer
	Workgroups int64  // of a launch
	Rows       int64  // of a launch; elements of a buffer
	Bytes      int64  // of a buffer
	Duration   time.Duration
	Reason     string // of a fallback
}

// Run runs p, and its fallbacks if it gives up. All device memory is free when it
// returns, except that of kept results.
func Run(ctx context.Context, d Device, p *plan.Plan, in Inputs, options Options) (*Result, error) {
	return NewRunner(p).Run(ctx, d, in, options)
}

// Runner runs a plan and keeps what the next run needs, too. It does one run at a time.
type Runner struct {
	run      *run
	fallback *Runner // nil before it is needed
}

// NewRunner returns a runner of p, which must not change from now on.
func NewRunner(p *plan.Plan) *Runner { return &Runner{run: &run{plan: p}} }

// Run is as the function Run, for the runner's plan.
func (r *Runner) Run(ctx context.Context, d Device, in Inputs, options Options) (*Result, error) {
	if !options.Valid {
		if err := plan.Validate(r.run.plan); err != nil {
			return nil, err
		}
	}
	if options.PartRows < 0 || options.PartRows > plan.MaxRows || options.Memory < 0 {
		return nil, fmt.Errorf("exec: PartRows %d is not between 0 and %d, or Memory %d is negative", options.PartRows, plan.MaxRows, options.Memory)
	}
	var gaveUp []GiveUpError
	for {
		result, err := r.run.whole(ctx, d, in, options)
		if err == nil {
			result.GaveUp = gaveUp
			return result, nil
		}
		next := r.run.plan.Fallback
		var giveUp *GiveUpError
		if !errors.As(err, &giveUp) || next == nil {
			return nil, err
		}
		gaveUp = append(gaveUp, *giveUp)
		if options.Event != nil {
			options.Event(Event{Step: "fallback", Name: next.Level, Reason: giveUp.Reason})
		}
		if r.fallback == nil {
			r.fallback = NewRunner(next)
		}
		r = r.fallback
	}
}

// run is the state of a running plan.
type run struct {
	ctx     context.Context
	device  Device
	machine plan.Machine
	plan    *plan.Plan
	options Options

	domains map[string]*plan.Domain // of the plan, as those below
	buffers map[string]*plan.Buffer
	kernels map[string]*plan.Kernel
	initial map[string]Value  // scalars
	fills   map[string][]byte // elements with which buffers begin

	scalars map[string]Value
	lengths map[string]int64         // of input domains
	chosen  map[string]*plan.Variant // of each kernel
	store   store
	ahead   ahead   // what steps will read that do not change the device's memory
	result  *Result // set by return

	outside, launched env // what expressions see, so that they do not allocate it
	launches          map[*plan.Launch]*Launch
}

// whole runs the plan without its fallbacks.
func (r *run) whole(ctx context.Context, d Device, in Inputs, options Options) (*Result, error) {
	if r.domains == nil {
		r.index()
	}
	r.ctx, r.device, r.machine, r.options = ctx, d, d.Machine(), options
	clear(r.lengths)
	clear(r.chosen)
	maps.Copy(r.scalars, r.initial)
	r.store.begin(d, options.Memory, r.machine.MaxAlloc)
	r.ahead.forget()
	r.result = nil
	defer r.end()
	if err := r.bind(in); err != nil {
		return nil, err
	}
	if err := r.prepare(); err != nil {
		return nil, err
	}
	if err := r.steps(r.plan.Steps); err != nil {
		return nil, err
	}
	r.result.Peak = r.store.peak
	return r.result, nil
}

// end frees the memory, and forgets what is the caller's.
func (r *run) end() {
	r.store.release()
	r.ctx, r.device, r.options, r.result = nil, nil, Options{}, nil
}

// index finds the parts of the plan by their names.
func (r *run) index() {
	r.domains, r.buffers, r.kernels = map[string]*plan.Domain{}, map[string]*plan.Buffer{}, map[string]*plan.Kernel{}
	r.initial, r.scalars = map[string]Value{}, map[string]Value{}
	r.lengths, r.chosen = map[string]int64{}, map[string]*plan.Variant{}
	r.fills, r.launches = map[string][]byte{}, map[*plan.Launch]*Launch{}
	p := r.plan
	for i := range p.Domains {
		r.domains[p.Domains[i].Name] = &p.Domains[i]
	}
	for i := range p.Buffers {
		b := &p.Buffers[i]
		r.buffers[b.Name], r.fills[b.Name] = b, encode(b.Kind, b.FillBits())
	}
	for i := range p.Kernels {
		r.kernels[p.Kernels[i].Name] = &p.Kernels[i]
	}
	for _, s := range p.Scalars {
		bits, _ := s.Kind.Parse(s.Init) // validated
		r.initial[s.Name] = Value{s.Kind, bits}
	}
	r.outside.run, r.launched.run = r, r
}

// bind checks the arguments against the ports and makes the columns readable.
func (r *run) bind(in Inputs) error {
	taken := 0
	for i := range r.plan.Ports {
		port := &r.plan.Ports[i]
		if port.Direction != plan.In {
			continue
		}
		var given bool
		var err error
		if port.Scalar != "" {
			given, err = r.bindScalar(port, in)
		} else {
			given, err = true, r.bindColumn(port, in)
		}
		if err != nil {
			return err
		}
		if given {
			taken++
		}
	}
	if taken == len(in.Columns)+len(in.Scalars) {
		return nil
	}
	known := map[string]bool{}
	for _, port := range r.plan.Ports {
		known[port.Name] = port.Direction == plan.In
	}
	for name := range in.Columns {
		if !known[name] {
			return &InputError{name, "the plan has no such parameter"}
		}
	}
	for name := range in.Scalars {
		if !known[name] {
			return &InputError{name, "the plan has no such parameter"}
		}
	}
	return errors.New("exec: a name is given both as a column and as a scalar")
}

func (r *run) bindScalar(port *plan.Port, in Inputs) (given bool, err error) {
	v, given := in.Scalars[port.Name]
	switch {
	case given && v.Kind != port.Kind:
		return true, &InputError{port.Name, fmt.Sprintf("%s is given, and it has to be %s", v.Kind, port.Kind)}
	case given:
	case port.Default != "":
		bits, _ := port.Kind.Parse(port.Default) // validated
		v = Value{port.Kind, bits}
	default:
		return false, &InputError{port.Name, fmt.Sprintf("a scalar of %s is missing", port.Kind)}
	}
	r.scalars[port.Scalar] = Value{port.Kind.Stored(), v.Bits}
	return given, nil
}

func (r *run) bindColumn(port *plan.Port, in Inputs) error {
	column, ok := in.Columns[port.Name]
	switch {
	case !ok:
		return &InputError{port.Name, fmt.Sprintf("a column of %s is missing", port.Kind)}
	case column.Kind != port.Kind:
		return &InputError{port.Name, fmt.Sprintf("a column of %s is given, and it has to be %s", column.Kind, port.Kind)}
	case column.Bytes()%int64(port.Kind.Size()) != 0:
		return &InputError{port.Name, fmt.Sprintf("%d bytes are no whole number of %s", column.Bytes(), port.Kind)}
	}
	rows := column.Rows()
	if length, known := r.lengths[port.Domain]; known && length != rows {
		return &InputError{port.Name, fmt.Sprintf("%d rows; other columns over %s have %d", rows, port.Domain, length)}
	}
	r.lengths[port.Domain] = rows
	start := r.now()
	a, err := r.store.add(r.buffers[port.Buffer], rows, &column)
	if err != nil {
		return err
	}
	if a.lent {
		return nil
	}
	return r.report(Event{Step: "import", Name: port.Buffer, Rows: a.length, Bytes: a.bytes}, start)
}

// now is the time, for report.
func (r *run) now() (t time.Time) {
	if r.options.Event != nil {
		t = time.Now()
	}
	return t
}

// report passes on an event. It waits for the device, so that the time is that of the
// step.
func (r *run) report(e Event, start time.Time) error {
	if r.options.Event == nil {
		return nil
	}
	if err := r.device.Sync(); err != nil {
		return fmt.Errorf("after %s of %q: %w", e.Step, e.Name, err)
	}
	e.Duration = time.Since(start)
	r.options.Event(e)
	return nil
}

// giveUp ends this plan in favour of its fallback.
func (r *run) giveUp(format string, args ...any) error {
	return &GiveUpError{Level: r.plan.Level, Reason: fmt.Sprintf(format, args...)}
}
