package exec

import (
	"context"
	"errors"
	"fmt"
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
	if !options.Valid {
		if err := plan.Validate(p); err != nil {
			return nil, err
		}
	}
	if options.PartRows < 0 || options.PartRows > plan.MaxRows || options.Memory < 0 {
		return nil, fmt.Errorf("exec: PartRows %d is not between 0 and %d, or Memory %d is negative", options.PartRows, plan.MaxRows, options.Memory)
	}
	var gaveUp []GiveUpError
	for {
		result, err := runOne(ctx, d, p, in, options)
		if err == nil {
			result.GaveUp = gaveUp
		}
		var giveUp *GiveUpError
		if !errors.As(err, &giveUp) || p.Fallback == nil {
			return result, err
		}
		gaveUp = append(gaveUp, *giveUp)
		if options.Event != nil {
			options.Event(Event{Step: "fallback", Name: p.Fallback.Level, Reason: giveUp.Reason})
		}
		p = p.Fallback
	}
}

// runOne runs p without its fallbacks.
func runOne(ctx context.Context, d Device, p *plan.Plan, in Inputs, options Options) (*Result, error) {
	r := newRun(ctx, d, p, options)
	defer r.store.release()
	if err := r.bind(in); err != nil {
		return nil, err
	}
	if err := r.prepare(); err != nil {
		return nil, err
	}
	if err := r.steps(p.Steps); err != nil {
		return nil, err
	}
	r.result.Peak = r.store.peak
	return r.result, nil
}

// run is the state of a running plan.
type run struct {
	ctx     context.Context
	device  Device
	machine plan.Machine
	plan    *plan.Plan
	options Options

	domains map[string]*plan.Domain
	buffers map[string]*plan.Buffer
	kernels map[string]*plan.Kernel

	scalars map[string]Value
	lengths map[string]int64         // of input domains
	chosen  map[string]*plan.Variant // of each kernel
	store   store
	ahead   map[reading][]byte // what steps will read that do not change the device's memory
	result  *Result            // set by return
}

func newRun(ctx context.Context, d Device, p *plan.Plan, options Options) *run {
	machine := d.Machine()
	r := &run{
		ctx: ctx, device: d, machine: machine, plan: p, options: options,
		domains: map[string]*plan.Domain{}, buffers: map[string]*plan.Buffer{}, kernels: map[string]*plan.Kernel{},
		scalars: map[string]Value{}, lengths: map[string]int64{}, chosen: map[string]*plan.Variant{},
		store: store{device: d, buffers: map[string]*allocation{}, limit: options.Memory, largest: machine.MaxAlloc},
	}
	for i := range p.Domains {
		r.domains[p.Domains[i].Name] = &p.Domains[i]
	}
	for i := range p.Buffers {
		r.buffers[p.Buffers[i].Name] = &p.Buffers[i]
	}
	for i := range p.Kernels {
		r.kernels[p.Kernels[i].Name] = &p.Kernels[i]
	}
	for _, s := range p.Scalars {
		bits, _ := s.Kind.Parse(s.Init) // validated
		r.scalars[s.Name] = Value{s.Kind, bits}
	}
	return r
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
	start := time.Now()
	a, err := r.store.add(r.buffers[port.Buffer], rows, func(int64) (Memory, error) {
		if column.Resident != nil {
			return column.Resident.Memory, nil
		}
		return r.device.Import(column.Data)
	})
	if err != nil {
		return err
	}
	if a.lent = column.Resident != nil; a.lent {
		return nil
	}
	return r.report(Event{Step: "import", Name: port.Buffer, Rows: a.length, Bytes: a.bytes}, start)
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
