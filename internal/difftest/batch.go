package difftest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/interp"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
)

// rowLimit bounds the rows that bins, repeat and join make from random data.
const rowLimit = 1 << 21

// failingRows bounds the rows of an input that fails a check where a pipeline joins or repeats rows: the
// interpreter stops before it knows how many that makes, and devices make them all.
const failingRows = 1 << 12

// unit is a program at a level.
type unit struct {
	at    int // of the program in the batch
	level string
	job   Job
	ready []Prepared // by device, and so are
	given []plan.Schedule

	covered []bool // whether its features are counted
}

// batch is a number of programs that are prepared together.
type batch struct {
	*tester
	numbers  []int
	programs []Program
	units    []*unit
	report   Report // of the batch
	stages   map[string]int
	features map[string]int
	differed map[string]bool // program, device and level: told once
	tested   []bool          // programs: those that an interrupt leaves over count for nothing
}

func (t *tester) batch(ctx context.Context, numbers []int) *batch {
	b := &batch{tester: t, numbers: numbers, stages: map[string]int{}, features: map[string]int{}, differed: map[string]bool{}, tested: make([]bool, len(numbers))}
	for at := range numbers {
		if ctx.Err() != nil {
			return b
		}
		b.compile(at)
	}
	b.prepare(ctx)
	defer func() {
		for _, u := range b.units {
			for _, p := range u.ready {
				if p.Executable != nil {
					p.Close()
				}
			}
		}
		b.units = nil // they hold whole programs
	}()
	for at := range numbers {
		for run := range t.Runs {
			if ctx.Err() != nil || t.isFound() {
				return b
			}
			if t.Case == nil || t.Case.Run == run {
				b.count(at)
				b.run(ctx, at, run)
			}
			t.progress(1, len(b.report.Mismatches) > 0)
		}
	}
	return b
}

// count records the features of a program, the first time.
func (b *batch) count(at int) {
	if b.tested[at] {
		return
	}
	b.tested[at] = true
	for _, u := range b.units {
		if u.at != at {
			continue
		}
		for _, k := range u.job.Program.Plan.Kernels {
			for _, s := range k.Stages {
				b.stages[strings.TrimRight(s, "0123456789")]++
			}
		}
	}
}

// cover records the features of a device that a program has used, the first
// time that a run was completed by the plan itself and not by a fallback.
func (b *batch) cover(u *unit, device int) {
	if u.covered[device] {
		return
	}
	u.covered[device] = true
	for _, name := range u.ready[device].Features() {
		b.features[b.Devices[device].Name()+": "+name]++
	}
}

// compile makes the units of a program.
func (b *batch) compile(at int) {
	number := b.numbers[at]
	program, err := b.program(number)
	b.programs = append(b.programs, program)
	if err != nil {
		b.mismatch(Case{number, 0}, program, "generator", "-", plan.Schedule{}, nil, err)
		return
	}
	for _, level := range b.levelsOf(number) {
		schedule := b.schedule(number)
		made, err := compileJob(program.Pipeline, level, schedule, b.Limit)
		if err != nil {
			b.report.cell("compiler", level).Mismatches++
			b.mismatch(Case{number, 0}, program, "compiler", level, schedule, nil, err)
			continue
		}
		b.units = append(b.units, &unit{at: at, level: level, job: b.job(number, made, schedule)})
	}
}

// optimizedEvery says how often a driver optimizes a random program, which
// takes most of the time.
const optimizedEvery = 16

// compileJob compiles a pipeline for cores and for work-groups.
func compileJob(p *ir.Pipeline, level string, schedule plan.Schedule, limit time.Duration) (c compiled, err error) {
	options := compile.For(level, schedule)
	options.Source, options.Sample = []byte(p.String()), 1 // of few rows
	if schedule.Groups != plan.Sort {
		options.Hash = 2
		if len(options.Source)%2 == 0 { // half of all programs partition rows of more groups than two, and those of tables of more than three
			options.HashGroups, options.Partitions, options.Moved, options.Parted, options.Claimed = 2, true, 4, 2, 5
			if len(options.Source)%4 == 0 && options.Bins == 0 { // and half of these rows of more bins than two
				options.Bins = 2
			}
		}
	}
	if c.workgroups, err = compileGuarded(p, options, limit); err != nil {
		return c, err
	}
	options.Short, options.Cores = false, true
	if c.any, err = compileGuarded(p, options, limit); err != nil {
		return c, err
	}
	options.Entered, options.Few, options.RadixOfMany = true, 8, cmp.Or(options.Radix, fuse.DefaultRadix)+2
	c.cores, err = compileGuarded(p, options, limit)
	return c, err
}

// compiled is a pipeline for cores, for these as emitted Go has it, and for work-groups: for columns
// of fewer than 2^32 rows unless the schedule has parts.
type compiled struct{ any, cores, workgroups *backends.Program }

// compileGuarded turns a panic into an error. It abandons a compilation that
// does not end in time.
func compileGuarded(p *ir.Pipeline, options compile.Options, limit time.Duration) (*backends.Program, error) {
	type answer struct {
		program *backends.Program
		err     error
	}
	done := make(chan answer, 1)
	go func() {
		var a answer
		defer func() { done <- a }()
		defer recovered(&a.err)
		a.program, _, a.err = compile.Compile(p, options)
	}()
	select {
	case a := <-done:
		return a.program, a.err
	case <-time.After(limit):
		return nil, &FaultError{FaultHang, fmt.Errorf("compilation does not end within %v", limit)}
	}
}

// recovered makes an error of a panic.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = &FaultError{FaultCrash, fmt.Errorf("panic: %v%s", r, Places(debug.Stack()))}
	}
}

var ownFrame = regexp.MustCompile(`(?m)^\t\S*/((?:ir|fuse|plan|build|backends|templates|internal)/\S+\.go:\d+)`)

// Places names the places in kgen on a stack.
func Places(stack []byte) (text string) {
	const most = 6
	for i, m := range ownFrame.FindAllSubmatch(stack, most) {
		text += []string{" at ", ", called at "}[min(i, 1)] + string(m[1])
	}
	return text
}

// Guard prepares one job; a panic is an error.
func Guard(prepare func() (Executable, error)) (p Prepared) {
	defer recovered(&p.Err)
	p.Executable, p.Err = prepare()
	return p
}

// prepare makes all units ready on all devices.
func (b *batch) prepare(ctx context.Context) {
	jobs := make([]Job, len(b.units))
	for _, d := range b.Devices {
		for i, u := range b.units {
			jobs[i] = u.job
			if b.Schedule == (plan.Schedule{}) {
				jobs[i].Schedule = allowed(d, u.job.ForWorkgroups(), u.job.Schedule)
			}
			u.given = append(u.given, jobs[i].Schedule)
		}
		ready := d.Prepare(ctx, jobs)
		for i, u := range b.units {
			u.ready, u.covered = append(u.ready, ready[i]), append(u.covered, false)
			switch err := ready[i].Err; {
			case err == nil, ctx.Err() != nil:
			case errors.Is(err, ErrAbsent):
				b.report.cell(d.Name(), u.level).absent(err.Error())
			case b.isRefused(ctx, d, u.job, err):
				b.report.cell(d.Name(), u.level).absent("no such schedule for a program: " + refusal(err))
			default:
				b.report.cell(d.Name(), u.level).Mismatches++
				b.mismatch(Case{b.numbers[u.at], 0}, b.programs[u.at], d.Name(), u.level, jobs[i].Schedule, nil, err)
			}
		}
	}
}

// internalError is the text of messages about faults of kgen itself.
const internalError = "internal error"

// isRefused reports whether a program refuses the requested schedule: it
// accepts the same shape without a choice of scheme, and nothing is broken.
func (b *batch) isRefused(ctx context.Context, d Device, job Job, err error) bool {
	var fault *FaultError
	plain := portable(job.Schedule)
	plain = plan.Schedule{Workgroup: plain.Workgroup, Items: plain.Items, Variant: plain.Variant}
	if b.Schedule == plain || b.Schedule != job.Schedule || errors.As(err, &fault) || strings.Contains(err.Error(), internalError) {
		return false
	}
	job.Schedule = plain
	ready := d.Prepare(ctx, []Job{job})[0]
	if ready.Executable != nil {
		ready.Close()
	}
	return ready.Err == nil
}

// theirs matches the part of a refusal that depends on the program.
var theirs = regexp.MustCompile(`^pipeline \S+: |(kernel) \S+| \(.*\)`)

// refusal is the first of the reasons, without the parts that depend on the
// program.
func refusal(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return theirs.ReplaceAllString(text, "$1")
}

// run runs a program over an input on all devices at all its levels.
func (b *batch) run(ctx context.Context, at, run int) {
	number, program := b.numbers[at], b.programs[at]
	units := slices.DeleteFunc(slices.Clone(b.units), func(u *unit) bool { return u.at != at })
	if len(units) == 0 {
		return
	}
	in, what := b.input(program, number, run)
	rows := 0
	for _, c := range in {
		if c.Slice != nil {
			rows = max(rows, c.Len())
		}
	}
	want, err := expect(program.Pipeline, in)
	var argument *interp.ArgumentError
	switch {
	case errors.As(err, &argument) && argument.TooManyRows:
		b.report.Refused++
		return
	case err != nil:
		b.report.cell("interp", "-").Mismatches++
		b.mismatch(Case{number, run}, program, "interp", "-", plan.Schedule{}, &what, err)
		return
	}
	if want.Check != nil && rows > failingRows && slices.ContainsFunc(program.Pipeline.Values, makesRows) {
		b.report.Refused++
		return
	}
	b.report.Inputs++
	if want.Check != nil {
		b.report.Failing++
	}
	if want.Loose != "" || want.Uncompared() > 0 {
		b.report.Uncompared++
	}
	for _, u := range units {
		for i, p := range u.ready {
			device := b.Devices[i].Name()
			cell := b.report.cell(device, u.level)
			if p.Err != nil || ctx.Err() != nil {
				continue
			}
			if most := p.MaxRows(); most > 0 && rows > most {
				cell.absent(fmt.Sprintf("inputs of more than %d rows", most))
				continue
			}
			difference, gaveUp, err := b.execute(ctx, p, want, in, b.choice(number, run))
			if ctx.Err() != nil {
				return
			}
			if errors.Is(err, ErrAbsent) {
				cell.absent(err.Error())
				continue
			}
			b.report.Executions++
			cell.Runs++
			if gaveUp != "" {
				cell.gaveUp(theirs.ReplaceAllString(gaveUp, "$1"))
			} else if err == nil && want.Check == nil { // or it may be the fallback that has failed
				b.cover(u, i)
			}
			if difference != "" {
				cell.Mismatches++
				b.mismatch(Case{number, run}, program, device, u.level, u.given[i], &what, errors.Join(err, errors.New(difference)))
			}
		}
	}
}

// makesRows reports whether a value has more rows than its operands.
func makesRows(v *ir.Value) bool { return v.Op == ir.OpJoin || v.Op == ir.OpRepeat }

// input returns the data of a run, and its description.
func (t *tester) input(program Program, number, run int) ([]ir.Column, string) {
	own := run == 0
	if t.Inputs != nil {
		own = t.Inputs[run].Own
	}
	if own && program.Columns != nil {
		return withDefaults(program), "own data"
	}
	data := dataOf(t.Seed, number, run, t.schedule(number))
	if t.Inputs != nil && !own {
		tile := int(t.schedule(number).Rows())
		data.Rows, data.Tile = t.Inputs[run].rows(tile), tile
	}
	return data.Columns(program.Pipeline), fmt.Sprintf("%+v", data)
}

// withDefaults returns the data of a program; scalars without data get their
// default.
func withDefaults(program Program) []ir.Column {
	in := slices.Clone(program.Columns)
	for i, p := range program.Pipeline.Params {
		if in[i].Slice == nil {
			in[i] = ir.NewColumn(p.Type.Kind, 1)
			in[i].Set(0, p.Const)
		}
	}
	return in
}

// expect is testsuite.Expect; a panic of the interpreter is an error.
func expect(p *ir.Pipeline, in []ir.Column) (want *testsuite.Expectation, err error) {
	defer recovered(&err)
	return testsuite.Expect(p, in, interp.RowLimit(rowLimit))
}

// execute runs once and compares; gaveUp is the outcome's, and err is a fault that
// difference tells, too, or why the device does not run this.
func (b *batch) execute(ctx context.Context, p Prepared, want *testsuite.Expectation, in []ir.Column, choice uint64) (difference, gaveUp string, err error) {
	bounded, cancel := context.WithTimeout(ctx, b.Limit)
	defer cancel()
	got, err := func() (got Outcome, err error) {
		defer recovered(&err)
		return p.Run(bounded, in, choice)
	}()
	if bounded.Err() != nil && err != nil {
		err = &FaultError{FaultHang, fmt.Errorf("no end after %v", b.Limit)}
	}
	if errors.Is(err, ErrAbsent) {
		return "", "", err
	}
	difference = want.Differ(got.Results, err)
	var fault *FaultError
	if errors.As(err, &fault) {
		return fault.Error(), "", fault
	}
	return difference, got.GaveUp, nil
}

// mismatch records a difference, the first of a program on a device at a level.
func (b *batch) mismatch(c Case, program Program, device, level string, s plan.Schedule, data *string, err error) {
	key := fmt.Sprint(c.Program, " ", device, " ", level)
	if b.differed[key] {
		return
	}
	b.differed[key] = true
	m := Mismatch{Case: c.String(), Program: program.Name, Device: device, Level: level, Difference: err.Error(), program: c.Program, run: c.Run}
	if s != (plan.Schedule{}) {
		m.Schedule = ScheduleText(s)
	}
	var fault *FaultError
	if errors.As(err, &fault) {
		m.Fault, m.Difference = fault.Fault, fault.Error()
	}
	if data != nil {
		m.Data = *data
	}
	if program.Pipeline != nil {
		m.Source = program.Pipeline.String()
	}
	if b.Repeat != nil {
		m.Repeat = b.Repeat(c, device, level)
	}
	b.report.Mismatches = append(b.report.Mismatches, m)
}

// ScheduleText writes a schedule in the form of the flag --schedule.
func ScheduleText(s plan.Schedule) string {
	var settings []string
	number := func(name string, value int64) {
		if value != 0 {
			settings = append(settings, fmt.Sprintf("%s=%d", name, value))
		}
	}
	word := func(name, value string) {
		if value != "" {
			settings = append(settings, name+"="+value)
		}
	}
	number("workgroup", int64(s.Workgroup))
	number("items", int64(s.Items))
	number("chunk", int64(s.Chunk))
	word("scheme", s.Scheme)
	word("ids", s.IDs)
	word("offsets", s.Offsets)
	word("variant", s.Variant)
	word("table", s.Table)
	word("groups", s.Groups)
	word("places", s.Places)
	word("probe", s.Probe)
	word("sources", s.Sources)
	number("radix", int64(s.Radix))
	word("rank", s.Rank)
	number("ring", int64(s.Ring))
	number("lookahead", int64(s.Lookahead))
	number("occupancy", int64(s.Occupancy))
	number("part", s.Part)
	return strings.Join(settings, ",")
}
