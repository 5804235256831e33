package explore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kgen-go/kgen/ir"
)

// fake runs configurations whose results and times a test decides.
type fake struct {
	wrong   func(c Configuration) bool // whether results are wrong
	time    func(c Configuration) int64
	prepare func(c Configuration) error
	run     func(c Configuration) error
	plan    func(c Configuration) string
	text    func(c Configuration) string
	ran     []Configuration // in the order of their runs
	open    int             // programs that are not closed
}

func (f *fake) Open(_ context.Context, d DataSet) (Data, error) { return &fakeData{f, d}, nil }

type fakeData struct {
	*fake
	set DataSet
}

func (d *fakeData) Rows() int64      { return max(d.set.Rows, 10) }
func (d *fakeData) Close()           {}
func (d *fakeData) Referenced() bool { return true }
func (d *fakeData) Differ(columns []ir.Column, err error) string {
	if err != nil {
		return "fails: " + err.Error()
	}
	if got := columns[0].At(0).Int64(); got != 42 {
		return fmt.Sprintf("x[0] is %d, want 42", got)
	}
	return ""
}

func (d *fakeData) Prepare(_ context.Context, c Configuration, skip func(string) bool) (Program, error) {
	if d.prepare != nil {
		if err := d.prepare(c); err != nil {
			return nil, err
		}
	}
	if skip != nil && d.text != nil && skip(d.text(c)) {
		return nil, nil
	}
	d.open++
	return &fakeProgram{d.fake, c, 0}, nil
}

type fakeProgram struct {
	*fake
	c    Configuration
	runs int
}

func (p *fakeProgram) Close() { p.open-- }
func (p *fakeProgram) Explain(*Outcome) Explanation {
	x := Explanation{Kernels: []KernelResult{{Name: "k1", Bytes: 80, Predicted: 10}}, Bytes: 80, Predicted: 10}
	if p.plan != nil {
		x.Plan = p.plan(p.c)
	}
	if p.text != nil {
		x.Text = p.text(p.c)
	}
	return x
}

func (p *fakeProgram) Run(_ context.Context, repeat int) (*Outcome, error) {
	p.ran = append(p.ran, p.c)
	if p.run != nil {
		if err := p.run(p.c); err != nil {
			return nil, err
		}
	}
	p.runs++
	value := int64(42)
	if p.wrong != nil && p.wrong(p.c) && p.runs > 1 { // not in the first run: a race
		value = 43
	}
	column := ir.NewColumn(ir.I64, 1)
	column.Set(0, ir.Int(ir.I64, value))
	o := &Outcome{Columns: []ir.Column{column}, Launches: map[string][]int64{}}
	for i := range repeat {
		took := int64(1e6 + i)
		if p.time != nil {
			took = p.time(p.c)
		}
		o.Samples = append(o.Samples, took)
		o.Launches["k1"] = append(o.Launches["k1"], took-1)
	}
	return o, nil
}

var grid = Grid{Pipelines: []string{"p.kg"}, Data: []string{"auto"}, Rows: []int64{100, 1000}, Devices: []string{"gocpu", "opencl:0"},
	Levels: []string{"none", "auto"}, Sweeps: []Sweep{{"items", []string{"4", "8", Default}}, {"workgroup", []string{"64", "128"}}}}

func configurations() []Configuration {
	return grid.Configurations(func(device string) bool { return device != "gocpu" })
}

func report() *Report {
	h := NewHeader()
	h.Grids, h.Kgen, h.Machine, h.Reference = []Grid{grid}, "v1", "m", "the interpreter"
	h.Inputs["p.kg"] = "1234"
	return &Report{Header: h}
}

var limits = Options{Limits: Limits{Width: 0.02, Time: time.Minute, Least: 10}, Command: func(c Configuration) string { return "kgen explore " + c.String() }}

func TestGrid(t *testing.T) {
	list := configurations()
	if len(list) != 2*(2+2*6) {
		t.Fatalf("%d configurations", len(list))
	}
	if c := list[2]; c != (Configuration{Pipeline: "p.kg", Data: "auto", Rows: 100, Device: "opencl:0", Level: "none", Schedule: "items=4,workgroup=64"}) || c.Setting("workgroup") != "64" || c.Setting("chunk") != "" {
		t.Errorf("%+v", c)
	}
	if c := list[7]; c.Schedule != "workgroup=128" {
		t.Errorf("%+v", c)
	}
}

func TestRun(t *testing.T) {
	f := &fake{}
	r := report()
	if err := Run(t.Context(), f, configurations(), r, limits); err != nil {
		t.Fatal(err)
	}
	if len(r.Results) != 28 || r.Wrong() > 0 || f.open != 0 {
		t.Fatalf("%d results, %d wrong, %d open", len(r.Results), r.Wrong(), f.open)
	}
	for _, x := range r.Results {
		if x.Status != Agrees || !x.Known || x.Width() > 0.02 || x.Partial || x.Kernels[0].Median < 1e6-1 || len(x.Samples) < 10 {
			t.Errorf("%+v", x)
		}
	}
	// Configurations over the same columns take turns.
	if a, b := f.ran[14], f.ran[15]; a == b {
		t.Errorf("%v ran twice in a row", a)
	}
}

// A planted wrong result is found, wherever it occurs, and has a command.
// Configurations with the kernels of others are left out, also when a run goes on.
func TestRunDistinct(t *testing.T) {
	f := &fake{plan: func(c Configuration) string { return "by " + c.Schedule }}
	r, o := report(), limits
	o.Distinct = true
	for range 2 {
		if err := Run(t.Context(), f, r.Remaining(configurations()), r, o); err != nil {
			t.Fatal(err)
		}
		// Of two levels with one plan, on gocpu and by six schedules, one each is left.
		if len(r.Results) != 2*(1+6) || f.open != 0 {
			t.Fatalf("%d results, %d open", len(r.Results), f.open)
		}
	}
}

// Schedules that make no other kernels are left out, whatever their plans are called.
func TestRunDistinctTexts(t *testing.T) {
	f := &fake{plan: func(c Configuration) string { return "by " + c.Level + c.Schedule }, text: func(c Configuration) string {
		items, _, _ := strings.Cut(c.Schedule, ",")
		return items
	}}
	r, o := report(), limits
	o.Distinct = true
	for range 2 {
		if err := Run(t.Context(), f, r.Remaining(configurations()), r, o); err != nil {
			t.Fatal(err)
		}
		if len(r.Results) != 2*(2+4) { // on gocpu nothing is known of texts; three items, and those that kgen chooses
			t.Fatalf("%d results", len(r.Results))
		}
	}
}

// A turn is taken for what is measured, and not for first runs, in which devices compile.
func TestRunTurns(t *testing.T) {
	f, o, turns := &fake{}, limits, 0
	o.Turn = func(context.Context) (func(), error) {
		turns++
		return func() {}, nil
	}
	if err := Run(t.Context(), f, configurations(), report(), o); err != nil {
		t.Fatal(err)
	}
	if want := len(f.ran) - len(configurations()); turns != want || want <= 0 {
		t.Errorf("%d turns for %d runs of %d configurations", turns, len(f.ran), len(configurations()))
	}
}

func TestRunFindsDifferences(t *testing.T) {
	f := &fake{wrong: func(c Configuration) bool { return c.Device == "gocpu" && c.Level == "auto" }}
	r := report()
	if err := Run(t.Context(), f, configurations(), r, limits); err != nil {
		t.Fatal(err)
	}
	if r.Wrong() != 2 {
		t.Fatalf("%d wrong", r.Wrong())
	}
	x := r.Find(Configuration{Pipeline: "p.kg", Data: "auto", Rows: 100, Device: "gocpu", Level: "auto"})
	if x.Status != Differs || x.Problem != "x[0] is 43, want 42" || x.Repeat != "kgen explore gocpu auto" || x.Count != 0 || x.Median != 0 {
		t.Errorf("%+v", x)
	}
	var text bytes.Buffer
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"DIFFERS", "kgen explore gocpu auto", "26 agree with the interpreter, 2 differ or fail", "ITEMS\\WORKGROUP  64", "p.kg by rows, ns a row"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}

func TestRunRefusesAndFails(t *testing.T) {
	f := &fake{
		prepare: func(c Configuration) error {
			if c.Level == "none" {
				return &RefusedError{"too simple"}
			}
			return nil
		},
		run: func(c Configuration) error {
			if c.Device == "gocpu" {
				return errors.New("crash")
			}
			return nil
		},
	}
	r := report()
	if err := Run(t.Context(), f, configurations(), r, limits); err != nil {
		t.Fatal(err)
	}
	states := map[Status]int{}
	for _, x := range r.Results {
		states[x.Status]++
	}
	if states[Refused] != 14 || states[Failed] != 2 || states[Agrees] != 12 || f.open != 0 {
		t.Errorf("%v, %d open", states, f.open)
	}
}

// What an interrupted run has measured is kept, and a resumed one does the rest.
func TestResume(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	ctx, cancel := context.WithCancel(t.Context())
	count := 0
	f := &fake{time: func(Configuration) int64 {
		if count++; count > 800 { // in the turns of the first data set
			cancel()
		}
		return 1e6 + int64(count%5)*1e5
	}}
	first := report()
	log, err := CreateLog(path, first)
	if err != nil {
		t.Fatal(err)
	}
	o := limits
	o.Log = log
	if err := Run(ctx, f, configurations(), first, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if len(first.Results) == 0 || f.open != 0 {
		t.Fatalf("%d results, %d open", len(first.Results), f.open)
	}
	// A killed process leaves the file under its other name, perhaps in a line.
	if _, err := os.Stat(path); err == nil {
		t.Error("the file has its name before it is whole")
	}
	file, err := os.OpenFile(path+partSuffix, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	file.WriteString(`{"result":{"pipe`)
	file.Close()

	second, err := ReadLog(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(second.Results) != len(first.Results) {
		t.Errorf("%d results in the file, %d were found", len(second.Results), len(first.Results))
	}
	rest := second.Remaining(configurations())
	if len(rest) == 0 || len(rest) == 28+len(first.Results) {
		t.Errorf("%d remain", len(rest))
	}
	for _, x := range second.Results {
		if isRest := slices.Contains(rest, x.Configuration); isRest != x.Partial {
			t.Errorf("%v: partial %v, remains %v", x.Configuration, x.Partial, isRest)
		}
	}
	if o.Log, err = CreateLog(path, second); err != nil {
		t.Fatal(err)
	}
	f.time = nil
	if err := Run(t.Context(), f, rest, second, o); err != nil {
		t.Fatal(err)
	}
	if err := o.Log.Close(); err != nil {
		t.Fatal(err)
	}
	third, err := ReadLog(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(third.Results) != 28 || len(third.Remaining(configurations())) != 0 {
		t.Errorf("%d results, %d remain", len(third.Results), len(third.Remaining(configurations())))
	}
	slices.Reverse(third.Results)
	third.Arrange(configurations())
	for i, c := range configurations() {
		if third.Results[i].Configuration != c || third.Results[i].Status != Agrees {
			t.Errorf("result %d is that of %v", i, third.Results[i].Configuration)
		}
	}
	c := configurations()[0]
	if c.Rows = 0; third.Find(c) == nil {
		t.Error("as many rows as the files have are not found")
	}
	now := report().Header
	if err := third.Header.CheckResume(&now); err != nil {
		t.Error(err)
	}
	now.Inputs["p.kg"] = "5678"
	if err := third.Header.CheckResume(&now); err == nil || !strings.Contains(err.Error(), "p.kg is not what it was") {
		t.Error(err)
	}
}

func TestReadLogRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "no header",
		"{\"result\":{}}\n":               "first line is no header",
		"hello\n":                         "not a line of kgen explore",
		"{\"explore\":{\"version\":9}}\n": "version 9",
	} {
		path := filepath.Join(t.TempDir(), "x.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadLog(path); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), path+":1") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestCompare(t *testing.T) {
	slow := func(c Configuration) bool { return c.Device == "gocpu" && c.Level == "none" }
	run := func(f *fake, list []Configuration) *Report {
		r := report()
		if err := Run(t.Context(), f, list, r, limits); err != nil {
			t.Fatal(err)
		}
		return r
	}
	before := run(&fake{}, configurations()[:5])
	after := run(&fake{
		time: func(c Configuration) int64 {
			if slow(c) {
				return 2e6
			}
			return 1e6
		},
		wrong: func(c Configuration) bool { return c.Level == "auto" },
	}, configurations()[:4])
	c := Compare(before, after)
	if c.Count(Slower) != 1 || !slow(c.Changes[0].Configuration) || len(c.Gone) != 1 || len(c.New) != 0 || len(c.Worse) != 1 {
		t.Errorf("%+v", c)
	}
	var text bytes.Buffer
	if err := c.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"SLOWER", "2.000", "agreed and now differs: x[0] is 43", "only before: ", "1 slower, 0 faster"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}

func TestSweepFile(t *testing.T) {
	text := "# figures\npipeline = a.kg, b.kg#c\nlevel = paper3, mask partial | offset add\nrows = 1e6 # many\nitems = 4,8\nschedule = ids=static,items=2; items=3\nquick.rows = 1000\n"
	experiments, err := ParseSweepFile("explore.sweep", []byte(text), true)
	if err != nil || len(experiments) != 1 || experiments[0].Title != "" {
		t.Fatal(experiments, err)
	}
	f := experiments[0]
	if !slices.Equal(f.Values[KeyRows], []string{"1000"}) || !slices.Equal(f.Values[KeySchedule], []string{"ids=static,items=2", "items=3"}) ||
		f.Values[KeyLevel][1] != "mask partial | offset add" {
		t.Errorf("%q", f.Values)
	}
	sweeps, err := f.Sweeps(func(key string) bool { return key == "items" })
	if err != nil || len(sweeps) != 1 || sweeps[0].Key != "items" {
		t.Errorf("%v, %v", sweeps, err)
	}
	if _, err := f.Sweeps(func(string) bool { return false }); err == nil || !strings.HasPrefix(err.Error(), "explore.sweep:5:1: there is no key items") {
		t.Error(err)
	}
	for text, want := range map[string]string{"a b = c\n": "x:1:1: write KEY = A, B, C", "\na =\n": "x:2:1: no value", "a=1\na=2\n": "x:2:1: a is given in line 1", "a\n": "x:1:1: write KEY",
		"[a\n": "x:1:1: write [TITLE]", "[ ]": "x:1:1: write [TITLE]", "[a]\n[a]": "x:2:1: there is an experiment", "[a]\nset = x=1\n": "x:2:1: set is of the whole file"} {
		if _, err := ParseSweepFile("x", []byte(text), false); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// What stands before the first experiment holds for each that does not say otherwise; what
// is said for a quick exploration comes before all else.
func TestExperiments(t *testing.T) {
	text := "device = cuda:0\nquick.device = gocpu\nrows = 1e8\nquick.rows = 1e4\nmeasure = 1s\n[Figure 1]\npipeline = a.kg\nrows = 1e6, 1e7\n" +
		"[Figure 2]\npipeline = b.kg\nitems = 4, 8\nrows = 1e7\nquick.rows = 50\n"
	for quick, want := range map[bool]string{
		false: "Figure 1: device=[cuda:0] measure=[1s] pipeline=[a.kg] rows=[1e6 1e7]; Figure 2: device=[cuda:0] items=[4 8] measure=[1s] pipeline=[b.kg] rows=[1e7]; ",
		true:  "Figure 1: device=[gocpu] measure=[1s] pipeline=[a.kg] rows=[1e4]; Figure 2: device=[gocpu] items=[4 8] measure=[1s] pipeline=[b.kg] rows=[50]; ",
	} {
		experiments, err := ParseSweepFile("x", []byte(text), quick)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, e := range experiments {
			slices.Sort(e.Keys)
			fmt.Fprintf(&got, "%s:", e.Title)
			for _, key := range e.Keys {
				fmt.Fprintf(&got, " %s=%v", key, e.Values[key])
			}
			got.WriteString("; ")
		}
		if got.String() != want {
			t.Errorf("quick is %v: %s", quick, got.String())
		}
	}
}

// A report of several experiments has a table of each, with a row for each set of columns; a
// configuration of two experiments is measured once.
func TestReportOfExperiments(t *testing.T) {
	curve, levels := grid, grid
	curve.Title, curve.Rows, curve.Sweeps, curve.Levels = "Sizes", []int64{100, 1000, 10000}, nil, []string{"auto"}
	levels.Title, levels.Rows, levels.Sweeps = "Levels", []int64{1000}, nil
	f := &fake{}
	r := report()
	r.Header.Grids = []Grid{curve, levels}
	list := Configurations(r.Header.Grids, func(string) bool { return false })
	if len(list) != 6+4-2 {
		t.Fatalf("%d configurations", len(list))
	}
	if err := Run(t.Context(), f, list, r, limits); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Sizes\n=====\n", "Levels\n======\n", "             gocpu        opencl:0\n100 rows     1.00 ms ±0%  1.00 ms ±0%\n", "10,000 rows  1.00 ms", "gocpu none   gocpu auto   opencl:0 none  opencl:0 auto\n", "8 configurations: 8 agree"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if figure := FigureOf(r.Of(levels)); len(figure.Rows) != 1 || len(figure.Ways) != 4 || figure.Ways[1] != "gocpu auto" {
		t.Errorf("%+v", figure)
	}
	swept := grid
	swept.Rows = []int64{1000}
	r.Results = nil
	if err := Run(t.Context(), f, swept.Configurations(func(device string) bool { return device != "gocpu" }), r, limits); err != nil {
		t.Fatal(err)
	}
	if figure := FigureOf(r.Of(swept)); len(figure.Rows) != 3 || figure.Rows[0].Name != "items=-" || figure.Rows[2].Name != "items=8" || len(figure.Ways) != 6 ||
		figure.Ways[3] != "opencl:0 none workgroup=128" {
		t.Errorf("%+v", figure)
	}
}

// A control is measured beside what it controls though its kernels are the same, and all of its
// columns for longer while the two are apart, or others are faster than both.
func TestControl(t *testing.T) {
	g := Grid{Pipelines: []string{"p.kg"}, Data: []string{"auto"}, Rows: []int64{100}, Devices: []string{"gocpu"}, Levels: []string{"auto", "none"}, Control: "auto"}
	for _, c := range []struct {
		name                string
		auto, control, none int64
		longer              bool
	}{
		{"settled", 1e6, 1.03e6, 1e6, false},
		{"apart", 1e6, 1.05e6, 1e6, true},
		{"slower by chance", 1.2e6, 1e6, 1e6, true},
		{"slower", 1.2e6, 1.2e6, 1e6, true},
		{"near", 1.09e6, 1.09e6, 1e6, false},
		{"faster", 1e6, 1e6, 2e6, false},
	} {
		f := &fake{plan: func(c Configuration) string { return c.Level }, time: func(x Configuration) int64 {
			switch {
			case x.Control:
				return c.control
			case x.Level == "auto":
				return c.auto
			}
			return c.none
		}}
		r := report()
		o := limits
		o.Distinct = true
		if err := Run(t.Context(), f, g.Configurations(func(string) bool { return false }), r, o); err != nil {
			t.Fatal(err)
		}
		if len(r.Results) != 3 || !r.Results[1].Control || f.open != 0 {
			t.Fatalf("%s: %d results, %d open", c.name, len(r.Results), f.open)
		}
		turns := map[bool]int{false: 1, true: 3}[c.longer] // the time doubles until it is mostTimes as long
		for _, x := range r.Results {
			if got := len(x.Samples); x.Status != Agrees || got < turns*50 || got > turns*100 {
				t.Errorf("%s: %s has %d samples of %d turns", c.name, x.Configuration, got, turns)
			}
		}
	}
}
