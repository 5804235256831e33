package difftest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kgen-go/kgen/internal/difftest/shrink"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Shrunk is a reduced difference.
type Shrunk struct {
	Pipeline   *ir.Pipeline
	Columns    []ir.Column
	Device     string
	Level      string
	Schedule   plan.Schedule
	Choice     uint64 // of the run
	Seed       uint64 // of the job
	Difference string
}

// finding is a difference that is being reduced.
type finding struct {
	*batch
	device Device // nil if compilation itself fails
	number int    // of the program that it began with
	level  string
	choice uint64
	fault  Fault // how it fails; something else is another difference
	best   candidate
}

// candidate is something that may show the difference.
type candidate struct {
	p          *ir.Pipeline
	in         []ir.Column
	schedule   plan.Schedule
	difference string
}

// Shrinking tries several candidates at once, which share a build.
const (
	candidatesAtOnce = 24
	shrinkLimit      = 5 * time.Minute
	shrinkRuns       = 3000 // of data
)

// shrink reduces a mismatch: first the program, because that needs builds, then
// the schedule, then the data, and the program once more with these.
func (t *tester) shrink(ctx context.Context, m Mismatch) (Shrunk, error) {
	ctx, cancel := context.WithTimeout(ctx, shrinkLimit)
	defer cancel()
	program, err := t.program(m.program)
	if err != nil {
		return Shrunk{}, err
	}
	f := &finding{batch: &batch{tester: t}, number: m.program, level: m.Level, choice: t.choice(m.program, m.run), fault: m.Fault}
	for _, d := range t.Devices {
		if d.Name() == m.Device {
			f.device = d
		}
	}
	f.best = candidate{p: program.Pipeline, schedule: t.schedule(m.program)}
	f.best.in, _ = t.input(program, m.program, m.run)
	if i := f.first(ctx, []candidate{f.best}); i < 0 {
		return Shrunk{}, errors.New("it does not happen again: perhaps it depends on time")
	}
	f.programs(ctx)
	f.schedules(ctx)
	f.data(ctx)
	f.programs(ctx)
	f.data(ctx)
	s := Shrunk{Pipeline: f.best.p, Columns: f.best.in, Device: m.Device, Level: f.level, Schedule: f.best.schedule,
		Choice: f.choice, Seed: t.job(m.program, compiled{}, plan.Schedule{}).Seed, Difference: f.best.difference}
	return s, nil
}

// programs makes the program smaller until nothing simpler fails.
func (f *finding) programs(ctx context.Context) {
	for ctx.Err() == nil {
		var list []candidate
		for _, p := range shrink.Programs(f.best.p) {
			list = append(list, candidate{p: p, in: shrink.Columns(f.best.p, f.best.in, p), schedule: f.best.schedule})
		}
		found := false
		for part := range slices.Chunk(list, candidatesAtOnce) {
			if i := f.first(ctx, part); i >= 0 {
				found = true
				break
			}
		}
		if !found {
			return
		}
	}
}

// schedules makes tiles smaller.
func (f *finding) schedules(ctx context.Context) {
	s := f.best.schedule
	var list []candidate
	add := func(s plan.Schedule) {
		s.Groups, s.Probe, s.Sources, s.Radix, s.Rank = f.best.schedule.Groups, f.best.schedule.Probe, f.best.schedule.Sources, f.best.schedule.Radix, f.best.schedule.Rank
		if s != f.best.schedule && !slices.ContainsFunc(list, func(c candidate) bool { return c.schedule == s }) {
			list = append(list, candidate{p: f.best.p, in: f.best.in, schedule: s})
		}
	}
	if t := simt.TraitsOf(s); !t.Portable {
		for lookahead := min(1, s.Lookahead); lookahead <= s.Lookahead; lookahead++ {
			for takeRows := max(t.Multiple, 1); takeRows <= s.Workgroup-t.Control; takeRows *= 2 {
				for items := 1; items <= s.Items; items++ {
					smaller := plan.Schedule{Workgroup: t.Control + takeRows, Items: items, Scheme: s.Scheme, Lookahead: lookahead, Variant: s.Variant}
					add(with(smaller, func(s *plan.Schedule) { s.Ring = lookahead + 2 }))
				}
			}
		}
		s = portable(s)
	}
	for workgroup := 1; workgroup <= s.Workgroup; workgroup *= 2 {
		for items := 1; items <= s.Items; items++ {
			add(plan.Schedule{Workgroup: workgroup, Items: items})
			add(plan.Schedule{Workgroup: workgroup, Items: items, Scheme: s.Scheme})
			add(plan.Schedule{Workgroup: workgroup, Items: items, Scheme: s.Scheme, Variant: s.Variant})
			add(plan.Schedule{Workgroup: workgroup, Items: items, Chunk: s.Chunk, Scheme: s.Scheme, IDs: s.IDs, Offsets: s.Offsets, Variant: s.Variant})
			add(plan.Schedule{Workgroup: workgroup, Items: items, Scheme: s.Scheme, Variant: s.Variant, Occupancy: s.Occupancy})
			add(plan.Schedule{Workgroup: workgroup, Items: items, Chunk: s.Chunk, Scheme: s.Scheme, Variant: s.Variant, Part: s.Part})
		}
	}
	for part := range slices.Chunk(list, candidatesAtOnce) {
		if f.first(ctx, part) >= 0 {
			return
		}
	}
}

// data makes the data smaller.
func (f *finding) data(ctx context.Context) {
	if f.device == nil {
		return
	}
	ready := f.ready(ctx, []candidate{f.best})
	defer closeAll(ready)
	c := f.best
	c.in = shrink.Data(c.p, c.in, shrinkRuns, func(in []ir.Column) bool {
		if ctx.Err() != nil {
			return false
		}
		difference, ok := f.fails(ctx, ready[0], candidate{p: c.p, in: in})
		if ok {
			c.difference = difference
		}
		return ok
	})
	f.best = c
}

// first finds the first of some candidates that fails, which becomes the best.
func (f *finding) first(ctx context.Context, list []candidate) int {
	ready := f.ready(ctx, list)
	defer closeAll(ready)
	for i, c := range list {
		if ctx.Err() != nil {
			return -1
		}
		if difference, ok := f.fails(ctx, ready[i], c); ok {
			f.best = c
			f.best.difference = difference
			return i
		}
	}
	return -1
}

// ready compiles and prepares candidates; under names of their own, so that they
// can share a package.
func (f *finding) ready(ctx context.Context, list []candidate) []Prepared {
	ready := make([]Prepared, len(list))
	var jobs []Job
	var at []int
	for i, c := range list {
		p := *c.p
		p.Name = fmt.Sprintf("c%d", i)
		made, err := compileJob(&p, f.level, c.schedule, f.Limit)
		if err != nil {
			ready[i].Err = err
			if f.device != nil { // a different fault
				ready[i].Err = fmt.Errorf("%w: %v", ErrAbsent, err)
			}
			continue
		}
		if f.device != nil {
			list[i].schedule = allowed(f.device, f.job(f.number, made, c.schedule).ForWorkgroups(), c.schedule)
		}
		jobs = append(jobs, f.job(f.number, made, list[i].schedule))
		at = append(at, i)
	}
	if f.device == nil || len(jobs) == 0 {
		return ready
	}
	for i, p := range f.device.Prepare(ctx, jobs) {
		ready[at[i]] = p
	}
	return ready
}

func closeAll(ready []Prepared) {
	for _, p := range ready {
		if p.Executable != nil {
			p.Close()
		}
	}
}

// fails reports whether a candidate shows the difference.
func (f *finding) fails(ctx context.Context, p Prepared, c candidate) (difference string, fails bool) {
	if p.Executable == nil || p.Err != nil {
		if p.Err == nil || errors.Is(p.Err, ErrAbsent) {
			return "", false
		}
		return p.Err.Error(), faultOf(p.Err) == f.fault
	}
	want, err := expect(c.p, c.in)
	if err != nil {
		return "", false
	}
	difference, _, err = f.execute(ctx, p, want, c.in, f.choice)
	return difference, difference != "" && faultOf(err) == f.fault
}

// faultOf returns the kind of an error.
func faultOf(err error) Fault {
	var fault *FaultError
	if errors.As(err, &fault) {
		return fault.Fault
	}
	return ""
}
