package explore

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"time"

	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/ir"
)

// Limits say when a configuration has been measured.
type Limits struct {
	Width float64       `json:"width"`   // half of the confidence interval over the median, as in 0.02
	Time  time.Duration `json:"time_ns"` // for which a configuration is measured at most
	Least int           `json:"least"`   // samples that it has at least, if time allows
}

// Options of Run. Log and the functions may be nil.
type Options struct {
	Limits
	Log *Log // takes each result
	// Progress hears how much is done, from 0 to 1, and what runs.
	Progress func(done float64, what string)
	// Skipped hears why a data set has no columns or, without a reference, no results, and Run
	// goes on with the next. Without it, that is an error.
	Skipped func(d DataSet, why error)
	// Distinct leaves out configurations whose kernels have the text of those of another one, or their
	// stages by the same schedule: their times differ by chance alone.
	Distinct bool
	// Turn waits until no other process measures on the device, and returns what ends the
	// turn. First runs take none.
	Turn func(ctx context.Context) (end func(), err error)
	// Command returns the command that repeats a configuration.
	Command func(Configuration) string
}

// Run explores configurations and adds their results to the report, which may have
// some already. Configurations over the same columns take turns, so that what
// disturbs the machine for a while disturbs all of them. If ctx ends, the results
// so far are added, and the error is that of ctx.
func Run(ctx context.Context, runner Runner, list []Configuration, report *Report, o Options) error {
	e := &explorer{Options: o, runner: runner, report: report, seed: maphash.MakeSeed()}
	sets := map[DataSet][]Configuration{}
	var order []DataSet
	for _, c := range list {
		d := c.DataSet()
		if sets[d] == nil {
			order = append(order, d)
		}
		sets[d] = append(sets[d], c)
		e.total++
	}
	for _, d := range order {
		if err := e.explore(ctx, d, sets[d]); err != nil {
			return err
		}
	}
	return nil
}

// explorer is a running exploration.
type explorer struct {
	Options
	runner Runner
	report *Report
	seed   maphash.Seed
	total  int // configurations
	done   int
	agreed map[uint64]bool // digests of results over the columns at hand that agree with the reference
}

// running is a configuration that is being measured.
type running struct {
	*Result
	program  Program
	spent    time.Duration
	overhead time.Duration // of a call of the program, beyond the samples
	warm     bool          // it has run once; devices compile in the first run
	enough   bool          // samples, as far as is known
	ended    bool
	logged   bool
}

// explore measures the configurations of one data set.
func (e *explorer) explore(ctx context.Context, d DataSet, list []Configuration) error {
	e.tell(list[0], nil)
	data, err := e.runner.Open(ctx, d)
	if err != nil && e.Skipped != nil && ctx.Err() == nil {
		e.Skipped(d, err)
		e.done += len(list)
		return nil
	}
	if err != nil {
		return err
	}
	defer data.Close()
	e.agreed = map[uint64]bool{}
	var all []*running
	defer func() {
		for _, r := range all {
			r.close()
		}
	}()
	for _, c := range list {
		if ctx.Err() != nil {
			break
		}
		c.Rows = data.Rows()
		e.tell(c, all)
		r := &running{Result: &Result{Configuration: c, Status: Agrees}}
		e.begin(ctx, data, r, all)
		if e.Skipped != nil && !data.Referenced() && (r.Status == Differs || r.Status == Failed) {
			e.Skipped(d, errors.New(r.Problem)) // a check fails, or there are too many rows
			e.done += len(list)
			return nil
		}
		if e.Distinct && !r.Control && !r.ended && (r.program == nil || e.repeats(r.Result, all)) {
			r.close()
			e.done++
			continue
		}
		all = append(all, r)
		if err := e.log(r); err != nil {
			return err
		}
	}
	controlled := slices.ContainsFunc(all, func(r *running) bool { return r.Control })
	for limits := e.Limits; ctx.Err() == nil; {
		active := false
		for _, r := range all {
			if r.ended || r.enough || ctx.Err() != nil {
				continue
			}
			active = true
			e.tell(r.Configuration, all)
			e.sample(ctx, data, r, limits)
			if r.enough && !controlled {
				e.end(r, Agrees, "")
			}
			if err := e.log(r); err != nil {
				return err
			}
		}
		if active {
			continue
		}
		if limits.Time >= mostTimes*e.Time || !unsettled(all) {
			break
		}
		limits.Time, limits.Least = 2*limits.Time, 2*limits.Least
		for _, r := range contenders(all) {
			r.enough = false
		}
	}
	for _, r := range all {
		if r.enough && !r.ended {
			e.end(r, Agrees, "")
			if err := e.log(r); err != nil {
				return err
			}
		}
		if !r.ended {
			if len(r.Samples) == 0 { // nothing is known of it yet
				continue
			}
			r.Partial, r.ended = true, true
			if err := e.log(r); err != nil {
				return err
			}
		}
		e.report.set(*r.Result)
	}
	e.done += len(all)
	return ctx.Err()
}

// repeats reports whether another result over the same columns has the kernels of r.
func (e *explorer) repeats(r *Result, all []*running) bool {
	has := func(other *Result) bool {
		isAlike := r.Text != "" && r.Text == other.Text || r.Plan != "" && r.Plan == other.Plan && r.Schedule == other.Schedule
		return isAlike && r.DataSet() == other.DataSet() && r.Device == other.Device
	}
	return slices.ContainsFunc(all, func(other *running) bool { return has(other.Result) }) ||
		slices.ContainsFunc(e.report.Results, func(other Result) bool { return other.Status == Agrees && !other.Partial && has(&other) })
}

// tell reports progress.
func (e *explorer) tell(c Configuration, all []*running) {
	if e.Progress == nil {
		return
	}
	done := float64(e.done)
	for _, r := range all {
		if r.ended || r.enough {
			done++
		} else {
			done += min(1, float64(r.spent)/float64(max(e.Time, 1)))
		}
	}
	e.Progress(done/float64(max(e.total, 1)), c.String())
}

// begin compiles a configuration and runs it once, to warm up and to compare its
// results. It has no program if it only repeats one of all.
func (e *explorer) begin(ctx context.Context, data Data, r *running, all []*running) {
	var refused *RefusedError
	var skip func(string) bool
	if e.Distinct && !r.Control {
		skip = func(text string) bool {
			r.Text = text
			return e.repeats(r.Result, all)
		}
	}
	program, err := data.Prepare(ctx, r.Configuration, skip)
	switch {
	case program == nil && err == nil:
		return
	case errors.As(err, &refused):
		e.end(r, Refused, refused.Reason)
		return
	case err != nil:
		if ctx.Err() == nil {
			e.end(r, Failed, err.Error())
		}
		return
	}
	r.program = program
	out := e.run(ctx, data, r, 1)
	if out == nil {
		return
	}
	x := program.Explain(out)
	r.Kernels, r.Bytes, r.Predicted, r.Plan, r.Text, r.Lengths = x.Kernels, x.Bytes, x.Predicted, x.Plan, x.Text, x.Lengths
	r.Compile = out.Compile.Nanoseconds()
	r.Samples, r.warm = out.Samples[:0:0], true // the first run warmed up
	r.spent = 0
	if len(out.Samples) > 0 {
		r.Median = float64(slices.Max(out.Samples))
	}
}

// run runs a configuration and compares its results. It returns nil if the
// configuration has ended thereby.
func (e *explorer) run(ctx context.Context, data Data, r *running, repeat int) *Outcome {
	out, took, err := e.turn(ctx, r, repeat)
	if ctx.Err() != nil {
		return nil
	}
	r.spent += took
	var columns []ir.Column
	if err == nil {
		r.spent -= out.Waited
		columns = out.Columns
		for _, s := range out.Samples {
			took -= time.Duration(s)
		}
		took -= out.Waited
		r.overhead = max(took, 0)
		r.addNotes(out.Notes)
	}
	var refused *RefusedError
	if errors.As(err, &refused) {
		e.end(r, Refused, refused.Reason)
		return nil
	}
	var check *ir.CheckError
	if err != nil && !errors.As(err, &check) {
		e.end(r, Failed, err.Error())
		return nil
	}
	digest := e.digest(columns)
	if err == nil && e.agreed[digest] {
		return out // what was compared before
	}
	if difference := data.Differ(columns, err); difference != "" {
		e.end(r, Differs, difference)
		return nil
	}
	if err != nil { // as the reference does
		e.end(r, Failed, err.Error())
		return nil
	}
	e.agreed[digest] = true
	return out
}

// turn runs a program when it is its turn. Compilers need none: nothing is measured in a first run.
func (e *explorer) turn(ctx context.Context, r *running, repeat int) (out *Outcome, took time.Duration, err error) {
	if e.Turn != nil && r.warm {
		end, err := e.Turn(ctx)
		if err != nil {
			return nil, 0, err
		}
		defer end()
	}
	begun := time.Now()
	out, err = r.program.Run(ctx, repeat)
	return out, time.Since(begun), err
}

// digest returns a hash of results; equal results have equal hashes.
func (e *explorer) digest(columns []ir.Column) uint64 {
	var h maphash.Hash
	h.SetSeed(e.seed)
	for _, c := range columns {
		maphash.WriteComparable(&h, c.Len())
		h.Write(raw.Bytes(c))
	}
	return max(h.Sum64(), 1)
}

func (r *running) addNotes(notes []string) {
	for _, n := range notes {
		if !slices.Contains(r.Notes, n) {
			r.Notes = append(r.Notes, n)
		}
	}
}

// end ends a configuration.
func (e *explorer) end(r *running, status Status, problem string) {
	r.Status, r.Problem, r.ended = status, problem, true
	if (status == Differs || status == Failed) && e.Command != nil {
		r.Repeat = e.Command(r.Configuration)
	}
	if status != Agrees { // a time of wrong results means nothing
		r.Samples, r.Summary = nil, Summary{}
		for i := range r.Kernels {
			r.Kernels[i].Samples, r.Kernels[i].Median = nil, 0
		}
	}
	r.close()
}

func (r *running) close() {
	if r.program != nil {
		r.program.Close()
		r.program = nil
	}
}

// log writes the result of a configuration when it has ended, so that a process that is
// killed loses only what it was about to measure.
func (e *explorer) log(r *running) error {
	if !r.ended || r.logged || e.Log == nil {
		return nil
	}
	r.logged = true
	return e.Log.Add(r.Result)
}

// set adds a result, or replaces that of the same configuration.
func (r *Report) set(x Result) {
	if known := r.Find(x.Configuration); known != nil {
		*known = x
		return
	}
	r.Results = append(r.Results, x)
}

// Remaining returns the configurations that the report does not have, or only a
// part of, or that failed: what failed may have had a passing reason.
func (r *Report) Remaining(list []Configuration) (rest []Configuration) {
	for _, c := range list {
		if known := r.Find(c); known == nil || known.Partial || known.Status == Failed {
			rest = append(rest, c)
		}
	}
	return rest
}

// CheckResume returns an error unless results of the report may stand beside those
// of another run.
func (h *Header) CheckResume(now *Header) error {
	for _, name := range slices.Sorted(maps.Keys(now.Inputs)) {
		if before, ok := h.Inputs[name]; ok && before != now.Inputs[name] {
			return fmt.Errorf("%s is not what it was (%s, now %s)", name, before, now.Inputs[name])
		}
	}
	if h.Machine != now.Machine {
		return fmt.Errorf("it was measured on %s, and this is %s", h.Machine, now.Machine)
	}
	if h.Kgen != now.Kgen {
		return fmt.Errorf("it was measured by kgen %s, and this is %s", h.Kgen, now.Kgen)
	}
	return nil
}
