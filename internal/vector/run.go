package vector

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/plan"
)

// run is the state of a running plan. It is the [plan.Env] of its expressions.
type run struct {
	*Program
	Options
	scalars map[string]uint64
	lengths map[string]int64 // of input domains
	memory  map[string][]byte
	failed  []int64 // per site: the first row that fails it
	failing sync.Mutex
	inUse   int64
	peak    int64 // the most that was in use
	given   int64 // of that by arguments
	arena   *arena
}

func newRun(p *Program, options Options) *run {
	r := &run{Program: p, Options: options, scalars: map[string]uint64{}, lengths: map[string]int64{}, memory: map[string][]byte{},
		failed: make([]int64, len(p.plan.Sites)), arena: p.arenas.Get().(*arena)}
	for _, s := range p.plan.Scalars {
		bits, _ := s.Kind.Parse(s.Init) // validated
		r.scalars[s.Name] = bits
	}
	fill(r.failed, math.MaxInt64)
	return r
}

// bind checks the arguments.
func (r *run) bind(in exec.Inputs) error {
	for i := range r.plan.Ports {
		port := &r.plan.Ports[i]
		switch {
		case port.Direction != plan.In:
		case port.Scalar != "":
			v, given := in.Scalars[port.Name]
			switch {
			case given && v.Kind != port.Kind:
				return &exec.InputError{Port: port.Name, Problem: fmt.Sprintf("%s is given, and it has to be %s", v.Kind, port.Kind)}
			case !given && port.Default == "":
				return &exec.InputError{Port: port.Name, Problem: fmt.Sprintf("a scalar of %s is missing", port.Kind)}
			case !given:
				v.Bits, _ = port.Kind.Parse(port.Default) // validated
			}
			r.scalars[port.Scalar] = v.Bits
		default:
			if err := r.bindColumn(port, in); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *run) bindColumn(port *plan.Port, in exec.Inputs) error {
	column, ok := in.Columns[port.Name]
	switch {
	case !ok:
		return &exec.InputError{Port: port.Name, Problem: fmt.Sprintf("a column of %s is missing", port.Kind)}
	case column.Kind != port.Kind:
		return &exec.InputError{Port: port.Name, Problem: fmt.Sprintf("a column of %s is given, and it has to be %s", column.Kind, port.Kind)}
	case len(column.Data)%port.Kind.Size() != 0:
		return &exec.InputError{Port: port.Name, Problem: fmt.Sprintf("%d bytes are no whole number of %s", len(column.Data), port.Kind)}
	}
	rows := column.Rows()
	if length, known := r.lengths[port.Domain]; known && length != rows {
		return &exec.InputError{Port: port.Name, Problem: fmt.Sprintf("%d rows; other columns over %s have %d", rows, port.Domain, length)}
	}
	r.lengths[port.Domain] = rows
	r.memory[port.Buffer] = column.Data
	r.given += int64(len(column.Data))
	return r.use(port.Buffer, int64(len(column.Data)))
}

// Scalar implements [plan.Env].
func (r *run) Scalar(name string) (int64, error) { return int64(r.scalars[name]), nil }

// Len implements [plan.Env].
func (r *run) Len(domain string) (int64, error) {
	if length, ok := r.lengths[domain]; ok {
		return length, nil
	}
	for i := range r.plan.Domains {
		if d := &r.plan.Domains[i]; d.Name == domain {
			return d.Len.Eval(r)
		}
	}
	return 0, fmt.Errorf("internal error: the plan has no domain %s", domain)
}

var errNotOfCores = errors.New("internal error: the plan is for kernels of work-groups")

// Property implements [plan.Env].
func (r *run) Property(string) (int64, error) { return 0, errNotOfCores }

// Resident implements [plan.Env].
func (r *run) Resident(string) (int64, error) { return 0, errNotOfCores }

// Rows implements [plan.Env].
func (r *run) Rows() (int64, error) { return 0, errNotOfCores }

// steps runs steps of the plan.
func (r *run) steps(ctx context.Context, steps []plan.Step) error {
	for i := range steps {
		var err error
		switch s := &steps[i]; {
		case s.Alloc != nil:
			err = r.alloc(r.buffer(s.Alloc.Buffer))
		case s.Init != nil:
			r.fill(r.buffer(s.Init.Buffer))
		case s.Set != nil:
			var value int64
			value, err = s.Set.Value.Eval(r)
			r.scalars[s.Set.Scalar] = uint64(value)
		case s.Launch != nil:
			err = r.launch(ctx, s.Launch)
		case s.If != nil:
			var holds int64
			if holds, err = s.If.Cond.Eval(r); err != nil {
				return err
			}
			branch := s.If.Else
			if holds != 0 {
				branch = s.If.Then
			}
			err = r.steps(ctx, branch)
		case s.CheckErrors != nil:
			err = r.checkErrors(s.CheckErrors)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *run) buffer(name string) *plan.Buffer {
	i := slices.IndexFunc(r.plan.Buffers, func(b plan.Buffer) bool { return b.Name == name })
	return &r.plan.Buffers[i]
}

func (r *run) launch(ctx context.Context, s *plan.Launch) error {
	rows, err := s.Rows.Eval(r)
	if err != nil {
		return fmt.Errorf("kernel %q: %w", s.Kernel, err)
	}
	start := time.Now()
	k := r.kernels[s.Kernel]
	streams := r.streamsOf(k, s)
	workers := r.workersFor(k, streams, rows)
	batch := r.Batch
	if batch <= 0 {
		batch = batchRows
		if workers > 1 {
			batch = wideBatch
		}
	}
	workers = int(max(min(int64(workers), (rows+int64(batch)-1)/int64(batch)), 1))
	f, err := k.take(batch)
	if err != nil {
		return err
	}
	copy(f.streams, streams)
	if err := f.launch(ctx, r, rows, workers); err != nil {
		return err
	}
	k.give(f)
	if r.Step != nil {
		r.Step(s.Kernel, time.Since(start))
	}
	return nil
}

// streamsOf returns the memory of a kernel's streams in a launch.
func (r *run) streamsOf(k *kernel, s *plan.Launch) []stream {
	declared := k.program.Kernels[k.compiled].Streams
	list := make([]stream, len(declared))
	for i := range declared {
		name := declared[i].Buffer
		for _, bound := range s.Bind {
			if bound.Name == declared[i].Buffer {
				name = bound.Buffer
			}
		}
		data := r.memory[name]
		list[i] = stream{data: data, length: int64(len(data) / declared[i].Kind.Size()), kind: declared[i].Kind}
	}
	return list
}

// checkErrors returns the first check that has failed.
func (r *run) checkErrors(s *plan.CheckErrors) error {
	if s.AbortOnly {
		return nil
	}
	for i := range r.plan.Sites {
		site := &r.plan.Sites[i]
		if site.When.IsZero() {
			if r.failed[i] != math.MaxInt64 {
				return &exec.CheckError{Site: *site, Row: r.failed[i]}
			}
			continue
		}
		failed, err := site.When.Eval(r)
		if err != nil {
			return err
		}
		if failed != 0 {
			return &exec.CheckError{Site: *site}
		}
	}
	return nil
}

// result hands the results over. A column that is an argument or another result is a copy.
func (r *run) result() (*exec.Result, error) {
	result := &exec.Result{Columns: map[string]exec.Column{}, Scalars: map[string]exec.Value{}, Depths: map[string]int64{}, Level: r.plan.Level}
	given := map[string]bool{}
	for i := range r.plan.Ports {
		port := &r.plan.Ports[i]
		if port.Direction == plan.In {
			given[port.Buffer] = port.Buffer != ""
			continue
		}
		if !port.Depth.IsZero() {
			depth, err := port.Depth.Eval(r)
			if err != nil {
				return nil, fmt.Errorf("depth of result %q: %w", port.Name, err)
			}
			result.Depths[port.Name] = depth
		}
		if port.Scalar != "" {
			result.Scalars[port.Name] = exec.Value{Kind: port.Kind, Bits: r.scalars[port.Scalar]}
			continue
		}
		rows, err := r.Len(port.Domain)
		if err != nil {
			return nil, err
		}
		data := r.memory[port.Buffer][:rows*int64(port.Kind.Size())]
		if given[port.Buffer] {
			copied, err := r.newResult(port, int64(len(data)))
			if err != nil {
				return nil, err
			}
			copy(copied, data)
			data = copied
		}
		given[port.Buffer] = true
		result.Columns[port.Name] = exec.Column{Kind: port.Kind, Data: data}
	}
	result.Peak = r.peak
	return result, nil
}
