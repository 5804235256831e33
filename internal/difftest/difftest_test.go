package difftest

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/interp"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite/sample"
)

// fake is a device that interprets, and may do something else then.
type fake struct {
	name    string
	refuse  error                      // of every job
	refuses func(p *ir.Pipeline) error // nil refuses none
	pervert func(p *ir.Pipeline, results []ir.Column, err error) ([]ir.Column, error)
	gaveUp  string // why results are a fallback's
}

func (f *fake) Name() string { return f.name }

func (f *fake) Target() simt.Target { return simt.Target{} }

func (f *fake) Close() {}

func (f *fake) Prepare(_ context.Context, jobs []Job) []Prepared {
	ready := make([]Prepared, len(jobs))
	for i, job := range jobs {
		ready[i] = Prepared{&faked{f, job}, f.refuse}
		if f.refuses != nil && f.refuse == nil {
			ready[i].Err = f.refuses(job.Program.Pipeline)
		}
	}
	return ready
}

type faked struct {
	*fake
	job Job
}

func (f *faked) Run(ctx context.Context, in []ir.Column, _ uint64) (Outcome, error) {
	results, err := interp.Run(f.job.Program.Pipeline, in, interp.RowLimit(rowLimit))
	if f.pervert != nil {
		results, err = f.pervert(f.job.Program.Pipeline, results, err)
	}
	return Outcome{results, f.gaveUp}, err
}

func (f *faked) Features() []string { return []string{"luck"} }

func (f *faked) MaxRows() int { return 0 }

// A device that interprets agrees; whatever else a device does is told, and
// does not keep the others from running.
func TestWrongDevices(t *testing.T) {
	wrong := func(change func(results []ir.Column, err error) ([]ir.Column, error)) func(*ir.Pipeline, []ir.Column, error) ([]ir.Column, error) {
		return func(_ *ir.Pipeline, results []ir.Column, err error) ([]ir.Column, error) { return change(results, err) }
	}
	const limit = time.Minute // by the clock of synctest, which passes only while all wait
	var calls atomic.Int64
	cases := []struct {
		name    string
		pervert func(*ir.Pipeline, []ir.Column, error) ([]ir.Column, error)
		fault   Fault
		said    string
	}{
		{"crashes", wrong(func([]ir.Column, error) ([]ir.Column, error) { panic("oh") }), FaultCrash, "panic: oh"},
		{"hangs", wrong(func(results []ir.Column, err error) ([]ir.Column, error) {
			if calls.Add(1)%16 != 1 {
				return results, err
			}
			time.Sleep(limit + limit/8)
			return nil, context.DeadlineExceeded
		}), FaultHang, "no end after " + limit.String()},
		{"has no memory", wrong(func([]ir.Column, error) ([]ir.Column, error) {
			return nil, &FaultError{FaultMemory, errors.New("none")}
		}), FaultMemory, "none"},
		{"one bit", wrong(func(results []ir.Column, err error) ([]ir.Column, error) {
			for _, c := range results {
				if c.Len() > 0 && !c.Kind.IsFloat() {
					v := c.At(c.Len() - 1)
					v.Bits ^= 1
					c.Set(c.Len()-1, v)
				}
			}
			return results, err
		}), "", "want"},
		{"one row", wrong(func(results []ir.Column, err error) ([]ir.Column, error) {
			for i, c := range results {
				if c.Len() > 1 {
					results[i] = ir.NewColumn(c.Kind, c.Len()-1)
				}
			}
			return results, err
		}), "", "rows, want"},
		{"no check", wrong(func(results []ir.Column, err error) ([]ir.Column, error) {
			if err != nil {
				return nil, nil
			}
			return results, err
		}), "", "want a failure"},
		{"another row", wrong(func(results []ir.Column, err error) ([]ir.Column, error) {
			var check *ir.CheckError
			if errors.As(err, &check) {
				return nil, &ir.CheckError{Site: check.Site, Row: check.Row + 1}
			}
			return results, err
		}), "", "want check"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			devices := []Device{&fake{name: "good"}, &fake{name: "wrong", pervert: c.pervert}, &fake{name: "also good"}}
			var r *Report
			synctest.Test(t, func(t *testing.T) {
				r = Run(t.Context(), Options{Devices: devices, Random: 40, Seed: 3, Limit: limit})
			})
			runs := map[string]int{}
			differ := map[string]int{}
			for _, cell := range r.Cells {
				runs[cell.Device] += cell.Runs
				differ[cell.Device] += cell.Mismatches
			}
			if runs["good"] != r.Inputs || runs["wrong"] != r.Inputs || runs["also good"] != r.Inputs || r.Inputs < 80 {
				t.Errorf("of %d inputs %v were run", r.Inputs, runs)
			}
			if differ["good"] > 0 || differ["also good"] > 0 {
				t.Errorf("good devices differ: %v", differ)
			}
			found := false
			for _, m := range r.Mismatches {
				if m.Device == "wrong" && m.Fault == c.fault && strings.Contains(m.Difference, c.said) {
					found = true
				}
			}
			if !found || differ["wrong"] == 0 {
				t.Errorf("%d differ, and none says %q: %+v", differ["wrong"], c.said, r.Mismatches[:min(2, len(r.Mismatches))])
			}
		})
	}
}

// Results of a fallback are compared, and told apart; they cover nothing.
func TestGaveUp(t *testing.T) {
	devices := []Device{&fake{name: "good"}, &fake{name: "weak", gaveUp: `kernel "k7" needs 9 work-groups at once`}}
	r := Run(t.Context(), Options{Devices: devices, Random: 10, Seed: 3, Levels: []string{fuse.LevelOnePass}})
	var text strings.Builder
	if err := r.Print(&text); err != nil {
		t.Fatal(err)
	}
	good, weak := r.Cells[0], r.Cells[1]
	if f := r.Coverage.Features; f["good: luck"] == 0 || f["weak: luck"] != 0 {
		t.Errorf("covered: %v", f)
	}
	if r.CountMismatches() > 0 || len(good.GaveUp) > 0 || weak.Runs < 10 || weak.GaveUp["kernel needs 9 work-groups at once"] != weak.Runs ||
		!strings.Contains(text.String(), fmt.Sprintf("results of a fallback on weak: %d, kernel needs 9 work-groups at once\n", weak.Runs)) {
		t.Errorf("%+v, %+v, printed as\n%s", good, weak, text.String())
	}
}

// Only the first reason is told: what gave up after it, gave up in its place.
func TestRunPlanGaveUp(t *testing.T) {
	pipelines, errs := ir.Load("p.kg", []byte("pipeline p(x: [n]i32) {\n\treturn last: last(x, else: 7)\n}\n"))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	host := &plan.Plan{Ports: []plan.Port{{Name: "x", Domain: "n", Kind: plan.I32}, {Name: "last", Direction: plan.Out, Kind: plan.I32}}}
	for _, reasons := range [][]exec.GiveUpError{nil, {{Reason: "weak"}, {Reason: "tired"}}} {
		out, err := RunPlan(pipelines[0], host, func(exec.Inputs) (*exec.Result, error) {
			return &exec.Result{Scalars: map[string]exec.Value{"last": {Kind: plan.I32, Bits: 7}}, GaveUp: reasons}, nil
		}, []ir.Column{ir.NewColumn(ir.I32, 0)})
		if err != nil || len(out.Results) != 1 || out.Results[0].At(0).Int64() != 7 || (out.GaveUp == "weak") != (reasons != nil) {
			t.Errorf("%v: %+v, %v", reasons, out, err)
		}
	}
}

// Equal arguments give equal reports, however many cores share the programs and
// however they do, and a case alone is what it was among others. go test ./... has
// fewer programs and fewer ways to share them.
func TestSame(t *testing.T) {
	programs, ways := 60, [][2]int{{2, 0}, {1, 0}, {4, 0}, {3, 7}, {1, 1}}
	if sample.Log(t); !sample.Everything() {
		programs, ways = 24, ways[1:4]
	}
	wrong := func(p *ir.Pipeline, results []ir.Column, err error) ([]ir.Column, error) {
		for _, v := range p.Values {
			if v.Op == ir.OpScan {
				return nil, errors.New("a scan")
			}
		}
		return results, err
	}
	refuse := func(p *ir.Pipeline) error {
		for _, v := range p.Values {
			if v.Op == ir.OpExscan {
				return &FaultError{FaultBuild, errors.New("an exclusive scan")}
			}
		}
		return nil
	}
	options := Options{Devices: []Device{&fake{name: "wrong", pervert: wrong}, &fake{name: "refuses", refuses: refuse}}, Random: programs, Seed: 9}
	text := func(cores, batch int) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		o := options
		o.Batch = batch
		r := Run(t.Context(), o)
		var printed strings.Builder
		if err := r.Print(&printed); err != nil {
			t.Fatal(err)
		}
		r.Elapsed = 0
		written, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return printed.String() + string(written)
	}
	one := text(2, 0)
	for _, other := range ways {
		if two := text(other[0], other[1]); one != two {
			t.Errorf("%d cores, batches of %d: the reports differ:\n%s\n%s", other[0], other[1], one, two)
		}
	}
	r := Run(t.Context(), options)
	for _, device := range options.Devices {
		if !slices.ContainsFunc(r.Mismatches, func(m Mismatch) bool { return m.Device == device.Name() }) {
			t.Fatalf("no program has what the device %s fails on", device.Name())
		}
	}
	last := r.Mismatches[len(r.Mismatches)-1]
	chosen, err := ParseCase(last.Case)
	if err != nil {
		t.Fatal(err)
	}
	options.Case = &chosen
	again := Run(t.Context(), options)
	want := slices.DeleteFunc(r.Mismatches, func(m Mismatch) bool { return m.Case != last.Case })
	if !slices.Equal(again.Mismatches, want) {
		t.Errorf("case %s alone gives %+v, want %+v", last.Case, again.Mismatches, want)
	}
}

// A device that cannot run here is absent, with its reason, and an interrupt
// ends a test with what was done.
func TestAbsentAndInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	inputs := 0
	r := Run(ctx, Options{
		Devices: []Device{&fake{name: "good"}, &fake{name: "none", refuse: ErrAbsent}},
		Random:  100000, Seed: 1, Batch: 40,
		Progress: func(done, total int64) {
			if inputs++; inputs == 20 {
				cancel()
			}
		},
	})
	if !r.Interrupted || r.Inputs == 0 || r.CountMismatches() > 0 || r.Programs == 0 || r.Programs > r.Inputs {
		t.Errorf("interrupted %v, %d programs, %d inputs, %d differ", r.Interrupted, r.Programs, r.Inputs, r.CountMismatches())
	}
	absent := 0
	for _, c := range r.Cells {
		for reason, n := range c.Absent {
			if c.Device == "none" && reason == ErrAbsent.Error() {
				absent += n
			}
		}
	}
	if absent == 0 {
		t.Errorf("no reason why a device is absent: %+v", r.Cells)
	}
}

// sameEverywhere is the sum of the programs and data of a seed. It changes
// with the generator, and with nothing else: no machine, no version of Go.
const sameEverywhere = "77bc3019870c6e3d"

func TestSameEverywhere(t *testing.T) {
	sum := sha256.New()
	test := &tester{Options: Options{Random: 40, Seed: 7, Runs: 3}}
	for number := range test.Random {
		program, err := test.program(number)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(sum, program.Pipeline, ScheduleText(test.schedule(number)), test.levelsOf(number))
		for run := range test.Runs {
			in, what := test.input(program, number, run)
			fmt.Fprintln(sum, what)
			for _, c := range in {
				for row := range c.Len() {
					fmt.Fprintln(sum, c.At(row))
				}
			}
		}
	}
	if got := fmt.Sprintf("%x", sum.Sum(nil)[:8]); got != sameEverywhere {
		t.Errorf("the sum of programs and data is %s, not %s: where the generator was not changed, chance depends on the machine", got, sameEverywhere)
	}
}
