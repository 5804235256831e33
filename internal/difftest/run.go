package difftest

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/difftest/random"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Program is a pipeline to test.
type Program struct {
	Name     string // for messages: the file, or the number of a random program
	Pipeline *ir.Pipeline
	Columns  []ir.Column    // data of its own, which the first run takes; nil for none
	Where    *Circumstances // of a difference that was kept, to repeat it; nil is chance
}

// Options is what to test. Devices and either Programs or Random must be set.
type Options struct {
	Devices  []Device
	Programs []Program
	Random   int           // number of random programs, instead
	Seed     uint64        // of programs and data
	Levels   []string      // of fusion; nil is all, of a random program one
	Runs     int           // inputs for each program; 0 is 20, or 3 for a random one
	Inputs   []Input       // one for each run, instead of lengths by chance and of Runs
	Schedule plan.Schedule // of kernels of work-groups; the zero value chooses one for each program
	Case     *Case         // the only case to run; nil runs all
	Limit    time.Duration // for one run, a driver's compilation included; 0 is five minutes
	First    bool          // stop at the first mismatch
	Batch    int           // programs prepared together; 0 is 48, or half of them all
	Keep     string        // a folder for reduced differences; "" is none

	// Repeat returns the command that repeats a case on a device at a level.
	Repeat func(c Case, device, level string) string
	// Progress is called with the number of finished inputs.
	Progress func(done, total int64)
}

// Case is a run of a program.
type Case struct{ Program, Run int }

func (c Case) String() string { return fmt.Sprintf("%d.%d", c.Program, c.Run) }

// ParseCase reads the form that Case.String returns.
func ParseCase(text string) (Case, error) {
	program, run, ok := strings.Cut(text, ".")
	p, err1 := strconv.Atoi(program)
	r, err2 := strconv.Atoi(run)
	if !ok || err1 != nil || err2 != nil || p < 0 || r < 0 {
		return Case{}, fmt.Errorf("case %q: a case is PROGRAM.RUN, two numbers", text)
	}
	return Case{p, r}, nil
}

// tester is a running test.
type tester struct {
	Options
	total int64

	mutex    sync.Mutex
	done     int64
	found    bool // a mismatch, where the first one is to end the test
	coverage coverage
	report   *Report
}

// Run tests. If ctx ends early, the report covers the finished runs.
func Run(ctx context.Context, o Options) *Report {
	begin := time.Now()
	if o.Runs == 0 {
		o.Runs = 20
		if o.Random > 0 {
			o.Runs = 3
		}
	}
	if o.Inputs != nil {
		o.Runs = len(o.Inputs)
	}
	if o.Limit == 0 {
		o.Limit = 5 * time.Minute
	}
	t := &tester{Options: o, report: &Report{Seed: o.Seed}}
	t.coverage = coverage{stages: map[string]int{}, features: map[string]int{}}
	numbers := t.numbers()
	t.total = int64(len(numbers) * t.Runs)
	t.cells()
	if t.Batch == 0 {
		t.Batch = min(48, (len(numbers)+1)/2)
	}
	var batches [][]int
	for len(numbers) > 0 {
		n := min(t.Batch, len(numbers))
		batches = append(batches, numbers[:n])
		numbers = numbers[n:]
	}
	results := make([]*batch, len(batches))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(batches)) {
		workers.Go(func() {
			for i := range next {
				results[i] = t.batch(ctx, batches[i])
			}
		})
	}
	for i := range batches {
		if ctx.Err() != nil || t.isFound() {
			break
		}
		next <- i
	}
	close(next)
	workers.Wait()
	for _, b := range results {
		if b != nil {
			t.add(b)
		}
	}
	// In an order that does not show how programs shared batches.
	slices.SortStableFunc(t.report.Mismatches, func(a, b Mismatch) int {
		return cmp.Or(cmp.Compare(a.program, b.program), cmp.Compare(a.run, b.run))
	})
	if o.Keep != "" {
		t.keep(ctx)
	}
	t.report.Interrupted = ctx.Err() != nil
	t.report.Coverage = t.coverage.report(o.Random > 0)
	t.report.Elapsed = time.Since(begin).Seconds()
	return t.report
}

// mostKept is the maximum of differences that are reduced: others mostly have the
// same causes.
const mostKept = 5

// keep reduces differences, one for each device and program, and writes them to a
// folder.
func (t *tester) keep(ctx context.Context) {
	kept := map[string]bool{}
	for i := range t.report.Mismatches {
		m := &t.report.Mismatches[i]
		key := fmt.Sprint(m.program, " ", m.Device)
		if kept[key] || len(kept) == mostKept || m.Level == "-" || ctx.Err() != nil {
			continue
		}
		kept[key] = true
		small, err := t.shrink(ctx, *m)
		if err == nil {
			m.Kept, err = Keep(ctx, t.Options.Keep, small)
			m.Source, m.Difference = small.Pipeline.String(), small.Difference
		}
		if err != nil {
			m.Difference += "\nit is not kept: " + err.Error()
		}
	}
}

// numbers lists the programs to test.
func (t *tester) numbers() (list []int) {
	if t.Case != nil {
		return []int{t.Case.Program}
	}
	count := t.Random
	if count == 0 {
		count = len(t.Programs)
	}
	for i := range count {
		list = append(list, i)
	}
	return list
}

// cells makes the cells in the order in which they were asked for.
func (t *tester) cells() {
	levels := t.Levels
	for i, p := range t.Programs {
		if p.Where != nil && t.Levels == nil {
			levels = appendNew(levels, t.levelsOf(i)...)
		}
	}
	if levels == nil {
		levels = fuse.Levels
	}
	for _, d := range t.Devices {
		for _, level := range levels {
			t.report.cell(d.Name(), level)
		}
	}
}

// levelsOf returns the levels of a program.
func (t *tester) levelsOf(number int) []string {
	switch {
	case t.Levels != nil:
		return t.Levels
	case t.Random > 0:
		return []string{levelOf(t.Seed, number)}
	case t.where(number) != nil:
		return []string{t.where(number).Level}
	}
	return fuse.Levels
}

// program returns a program by its number.
func (t *tester) program(number int) (Program, error) {
	if t.Random == 0 {
		if number >= len(t.Programs) {
			return Program{}, fmt.Errorf("there is no program %d: there are %d, counted from 0", number, len(t.Programs))
		}
		return t.Programs[number], nil
	}
	p, err := random.Pipeline(t.Seed, number, random.Options{})
	return Program{Name: fmt.Sprintf("random program %d of seed %d", number, t.Seed), Pipeline: p}, err
}

// appendNew appends values that are not in the list.
func appendNew(list []string, more ...string) []string {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// job returns a program at a level, compiled.
func (t *tester) job(number int, made compiled, s plan.Schedule) Job {
	j := Job{Program: made.any, Cores: made.cores, Workgroups: made.workgroups, Schedule: s, Seed: t.Seed, Unoptimized: t.Random > 0 && number%optimizedEvery != 0}
	if where := t.where(number); where != nil {
		j.Seed = where.Seed
	}
	return j
}

// choice returns the way in which a run is executed, which must not affect
// results.
func (t *tester) choice(number, run int) uint64 {
	if where := t.where(number); where != nil {
		return where.Choice
	}
	return uint64(run)
}

// where returns the circumstances that a program is to be repeated in, or nil.
func (t *tester) where(number int) *Circumstances {
	if number >= len(t.Programs) {
		return nil
	}
	return t.Programs[number].Where
}

// schedule returns the schedule of a program.
func (t *tester) schedule(number int) plan.Schedule {
	if t.Schedule != (plan.Schedule{}) {
		return t.Schedule
	}
	if where := t.where(number); where != nil {
		return where.Schedule
	}
	return scheduleOf(t.Seed, number)
}

func (t *tester) isFound() bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.found
}

// progress counts finished inputs.
func (t *tester) progress(inputs int, found bool) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.done += int64(inputs)
	t.found = t.found || found && t.First
	if t.Progress != nil {
		t.Progress(t.done, t.total)
	}
}

// add adds what a batch found.
func (t *tester) add(b *batch) {
	r := t.report
	r.Inputs += b.report.Inputs
	r.Refused += b.report.Refused
	r.Executions += b.report.Executions
	r.Uncompared += b.report.Uncompared
	r.Failing += b.report.Failing
	for _, c := range b.report.Cells {
		sum := r.cell(c.Device, c.Level)
		sum.Runs += c.Runs
		sum.Mismatches += c.Mismatches
		addCounts(&sum.Absent, c.Absent)
		addCounts(&sum.GaveUp, c.GaveUp)
	}
	r.Mismatches = append(r.Mismatches, b.report.Mismatches...)
	for at, p := range b.programs {
		if p.Pipeline != nil && b.tested[at] {
			r.Programs++
			t.coverage.programs.Add(p.Pipeline)
		}
	}
	for name, n := range b.stages {
		t.coverage.stages[name] += n
	}
	for name, n := range b.features {
		t.coverage.features[name] += n
	}
}
