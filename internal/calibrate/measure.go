package calibrate

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/kgen-go/kgen/plan"
)

// Bench runs probes on a device.
type Bench interface {
	// Compile compiles what probes need, so that Time finds it. An error of a probe is that of its Time.
	Compile(ctx context.Context, list []*Probe)
	// Time measures a probe, and predicts its time for a machine.
	Time(ctx context.Context, p *Probe, m plan.Machine) (Timing, error)
}

// Options of Measure.
type Options struct {
	Declared plan.Machine // whose rates stay where nothing could be measured
	Shaped   bool         // the device has kernels of work-groups
	Quick    bool         // few rows, to see whether all works
	Doing    func(what string)
}

// The rows of probes. Streams have so many that a copy takes copyTime, if that is not more
// than the most: that is beyond all caches, and short enough for some copies to be undisturbed.
// Tables are reached into by fewer.
const (
	leastRows, quickRows = 1 << 20, 1 << 14
	mostRows             = 1 << 26
	copyTime             = 2e-3
	tableRows            = 1 << 22
	searchRows           = 1 << 20
	fewRows              = 1 << 10
	hardlyRows           = 1 << 6
	compiledRows         = 1 << 22 // of pipelines that are compiled ahead: PoCL compiles small grids otherwise than large ones
)

// cachedTable is the largest table of which each core has a copy, in rows.
const cachedTable = 1 << 11

// Measure measures the machine that a device describes itself as, in two passes. What cannot be
// measured has a note.
func Measure(ctx context.Context, bench Bench, m plan.Machine, o Options) (*File, error) {
	c := &calibration{Bench: bench, Options: o, file: &File{Version: formatVersion}}
	m.Device = "measured: " + m.Device
	c.begin(m)
	if err := c.streams(ctx); err != nil {
		return nil, err
	}
	listed := &listing{}
	dry := &calibration{Bench: listed, Options: Options{Declared: o.Declared, Shaped: o.Shaped, Quick: o.Quick}, file: &File{Machine: m}, rows: c.rows}
	dry.file.Machine.Rates = maps.Clone(c.file.Machine.Rates)
	if err := dry.rest(ctx); err != nil {
		return nil, err
	}
	c.doing(fmt.Sprintf("compiling %d pipelines", len(listed.probes)))
	bench.Compile(ctx, listed.probes)
	if err := c.rest(ctx); err != nil {
		return nil, err
	}
	if !o.Quick {
		c.earlier = c.file.Probes
		c.begin(m)
		if err := c.streams(ctx); err != nil {
			return nil, err
		}
		if err := c.rest(ctx); err != nil {
			return nil, err
		}
	}
	c.noteDisturbed()
	c.note("barriers are not measured by themselves: %s and %s have those of their scans", plan.RateScan, plan.RateLookback)
	return c.file, nil
}

// begin forgets what was measured, but for the rows of streams.
func (c *calibration) begin(m plan.Machine) {
	m.Rates, m.Curves = maps.Clone(c.Declared.Rates), map[string]plan.Curve{}
	c.file.Machine, c.file.Probes, c.file.Notes = m, nil, nil
}

// rest measures what takes streams for granted.
func (c *calibration) rest(ctx context.Context) error {
	for _, step := range []func(context.Context) error{c.operators, c.starts, c.selections, c.prefixes, c.tables} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// listing collects probes that have no kernels in common, in place of running them.
type listing struct{ probes []*Probe }

func (l *listing) Compile(context.Context, []*Probe) {}

func (l *listing) Time(_ context.Context, p *Probe, _ plan.Machine) (Timing, error) {
	rows := min(p.Rows, compiledRows)
	for _, other := range l.probes {
		if p.sharesKernels(other) {
			other.Rows = max(other.Rows, rows)
			return Timing{}, nil
		}
	}
	compiled := *p
	compiled.Rows = rows
	l.probes = append(l.probes, &compiled)
	return Timing{}, nil
}

type calibration struct {
	Bench
	Options
	file    *File
	rows    int64    // of streams
	earlier []Timing // of a first pass: of each probe the lesser time counts, since what disturbs some for a while makes rates many times too large
}

func (c *calibration) note(format string, args ...any) {
	c.file.Notes = append(c.file.Notes, fmt.Sprintf(format, args...))
}

// A probe is disturbed if the middle of its samples is over disturbedBy times the least. On a machine that
// does nothing else that is 1 to 6 % more (an H100, PoCL), on a busy one up to 7 times as much.
const (
	disturbedBy     = 1.25
	disturbedLeast  = 5   // samples, or nothing is known
	disturbedAtMost = 0.2 // of the probes, by chance
)

// noteDisturbed says so if other work of the machine went into the rates. The least samples are taken, but
// if all of a probe's are disturbed, what it takes beyond others is wrong.
func (c *calibration) noteDisturbed() {
	known, disturbed := 0, 0
	for _, p := range c.file.Probes {
		if len(p.Samples) < disturbedLeast {
			continue
		}
		known++
		s := slices.Sorted(slices.Values(p.Samples))
		if float64(s[len(s)/2]) > disturbedBy*float64(s[0]) {
			disturbed++
		}
	}
	if float64(disturbed) > disturbedAtMost*float64(known) {
		c.note("the machine was busy: in %d of %d probes the middle of the samples was over %.2f times the least; calibrate again when it does nothing else", disturbed, known, disturbedBy)
	}
}

func (c *calibration) doing(what string) {
	if c.Doing != nil {
		c.Doing(what)
	}
}

// time measures a probe and keeps its time.
func (c *calibration) time(ctx context.Context, p Probe) (Timing, error) {
	c.doing(p.Name)
	t, err := c.Time(ctx, &p, c.file.Machine)
	if err != nil {
		return t, fmt.Errorf("%s: %w", p.Name, err)
	}
	t.Probe, t.Rows, t.Table = p.Name, p.Rows, elementBytes*p.Table
	for _, before := range c.earlier {
		if before.Probe == t.Probe && before.Rows == t.Rows && before.Table == t.Table && before.Seconds < t.Seconds {
			t.Seconds, t.Samples = before.Seconds, before.Samples
		}
	}
	c.file.Probes = append(c.file.Probes, t)
	return t, nil
}

// beyond returns the seconds of a row beyond what is predicted. If the probe does not run,
// there is a note and no error, but for an end of ctx.
func (c *calibration) beyond(ctx context.Context, what string, p Probe) (seconds float64, ok bool, err error) {
	t, err := c.time(ctx, p)
	if err == nil {
		return max(t.Seconds-t.Predicted, 0) / float64(p.Rows), true, nil
	}
	if ctx.Err() != nil {
		return 0, false, ctx.Err()
	}
	c.note("%s was not measured, and the model takes what the declared machine has: %v", what, err)
	return 0, false, nil
}

// streams measures launches, and the rate of memory. Without these there is no calibration.
func (c *calibration) streams(ctx context.Context) error {
	if err := c.launches(ctx); err != nil {
		return err
	}
	few, err := c.time(ctx, copyProbe(fewRows))
	if err != nil {
		return err
	}
	rates := c.file.Machine.Rates
	c.rows = max(c.rows, leastRows)
	if c.Quick {
		c.rows = quickRows
	}
	for {
		many, err := c.time(ctx, copyProbe(c.rows))
		if err != nil {
			return err
		}
		if moving := many.Seconds - few.Seconds; moving > 0 {
			rates[plan.RateMemory] = 2 * elementBytes * float64(c.rows-fewRows) / moving
		}
		if c.Quick || many.Seconds >= copyTime || c.rows >= mostRows {
			return nil
		}
		c.rows *= 4
	}
}

// launches tells what each kernel takes from what a plan takes, however few kernels it has: in emitted
// Go a call takes longer than what it does for a kernel. So few bytes take no time.
func (c *calibration) launches(ctx context.Context) error {
	rates := c.file.Machine.Rates
	one, err := c.time(ctx, copyProbe(hardlyRows))
	if err != nil {
		return err
	}
	three, err := c.time(ctx, launchesProbe(hardlyRows))
	if err != nil {
		return err
	}
	const least = 0.01 // of a plan: less cannot be told from chance
	rates[plan.RateLaunch] = max((three.Seconds-one.Seconds)/2, least*one.Seconds)
	rates[plan.RateCall] = max(one.Seconds-rates[plan.RateLaunch], 0)
	return nil
}

// operators measures element-wise operators. The copy has had one, too, which does not
// belong to its bytes.
func (c *calibration) operators(ctx context.Context) error {
	rates := c.file.Machine.Rates
	operator := "*"
	if !c.Shaped || c.file.Machine.RunsInTurn() { // sums, as a core has one unit for products, and several for all else
		operator = "+"
	}
	seconds, ok, err := c.beyond(ctx, plan.RateOperator, operatorProbe(operator, c.rows))
	if err != nil {
		return err
	}
	other := 0.0
	if ok {
		rates[plan.RateOperator] = seconds / (manyOperators - 1)
		other = rates[plan.RateOperator]
	}
	if !c.Shaped {
		if seconds, ok, err = c.beyond(ctx, plan.RateLoop, loopProbe(c.rows)); err != nil {
			return err
		}
		if ok {
			rates[plan.RateLoop] = seconds
			other += seconds
		}
	}
	if moving := 2*elementBytes/rates[plan.RateMemory] - other; moving > 0 {
		rates[plan.RateMemory] = 2 * elementBytes / moving
	}
	seconds, ok, err = c.beyond(ctx, plan.RateDear, dearProbe(c.rows))
	if ok {
		rates[plan.RateDear] = seconds / dearChained
	}
	if err != nil || !c.file.Machine.RunsInTurn() {
		return err
	}
	rates[plan.RateQuotient] = 0 // not to be predicted as dear
	if seconds, ok, err = c.beyond(ctx, plan.RateQuotient, quotientProbe(c.rows)); ok {
		rates[plan.RateQuotient] = seconds / dearChained
	} else {
		delete(rates, plan.RateQuotient)
	}
	return err
}

// prefixes measures scans within work-groups, and across the grid.
func (c *calibration) prefixes(ctx context.Context) error {
	for _, part := range []struct{ rate, level string }{{plan.RateLookback, "onepass"}, {plan.RateScan, "none"}} {
		seconds, ok, err := c.beyond(ctx, part.rate, scanProbe(part.level, c.rows))
		if err != nil {
			return err
		}
		if ok {
			c.file.Machine.Rates[part.rate] = seconds
		}
	}
	seconds, ok, err := c.beyond(ctx, plan.RateBeside, besideProbe(c.rows))
	if ok {
		c.file.Machine.Rates[plan.RateBeside] = seconds
	}
	if err != nil || !c.Shaped { // such kernels run on one core
		return err
	}
	for _, part := range []struct {
		rate  string
		probe Probe
	}{{plan.RateClosing, closingProbe(c.rows)}, {plan.RateWaiting, waitingProbe(c.rows)}, {plan.RateStoring, storingProbe(c.rows)}} {
		c.file.Machine.Rates[part.rate] = 0 // what the model takes where it is not measured is not to be predicted
		if seconds, ok, err = c.beyond(ctx, part.rate, part.probe); ok {
			c.file.Machine.Rates[part.rate] = seconds
		} else {
			delete(c.file.Machine.Rates, part.rate)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// starts measures what a prefix takes where there are hardly any rows: on GPUs, what its tiles
// share has to be cleared.
func (c *calibration) starts(ctx context.Context) error {
	seconds, ok, err := c.beyond(ctx, plan.RatePrefix, scanProbe("onepass", fewRows))
	if ok {
		c.file.Machine.Rates[plan.RatePrefix] = seconds * fewRows
	}
	return err
}

// selections measures what it takes to move selected rows to their places, which needs no branch,
// and what a branch takes more if nothing foretells it: one around what is done with selected rows.
// As yet no prefix is predicted to take any time.
func (c *calibration) selections(ctx context.Context) error {
	seconds, ok, err := c.beyond(ctx, plan.RateSelect, selectProbe(c.rows))
	if err != nil {
		return err
	}
	if ok {
		c.file.Machine.Rates[plan.RateSelect] = seconds
	}
	var times [2]float64
	selected := "prev(x, 1, 0)"
	if c.file.Machine.RunsInTurn() {
		selected = "scan(max, x)"
	}
	for i, p := range []Probe{branchProbe("in a row", selected, parted, c.rows), branchProbe("by chance", selected, mixed, c.rows)} {
		if times[i], ok, err = c.beyond(ctx, plan.RateBranch, p); err != nil || !ok {
			return err
		}
	}
	c.file.Machine.Rates[plan.RateBranch] = max(times[1]-times[0], 0)
	return nil
}
