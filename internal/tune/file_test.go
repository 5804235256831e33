package tune

import (
	"bytes"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/explore"
	"github.com/kgen-go/kgen/ir"
)

func pipeline(t *testing.T, text string) *ir.Pipeline {
	t.Helper()
	list, errs := ir.Load("test.kg", []byte(text))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	return list[0]
}

const sums = "pipeline sums(g: [n]i32, a: [n]i64) {\n\tgroup = groups(g)\n\treturn g: first(g, by: group), total: sum(a, by: group)\n}\n"

func TestClass(t *testing.T) {
	p := pipeline(t, sums)
	keys := make([]int32, 100000)
	for i := range keys {
		keys[i] = int32(i * 7919 % 4000)
	}
	c := ClassOf(p, []ir.Column{{Kind: ir.I32, Slice: keys}, {Kind: ir.I64, Slice: make([]int64, len(keys))}})
	if c.Rows != 100000 || len(c.Keys) != 1 || c.Keys[0].Name != "g" || c.Keys[0].Distinct != 4000 || c.Keys[0].Share > 0.01 {
		t.Errorf("%+v", c)
	}
	many := make([]int32, len(keys))
	for i := range many {
		many[i] = int32(i * 7919 % 50000)
	}
	if d := ClassOf(p, []ir.Column{{Kind: ir.I32, Slice: many}, {Kind: ir.I64, Slice: make([]int64, len(keys))}}).Keys[0].Distinct; math.Abs(float64(d)-50000) > 1000 {
		t.Errorf("50,000 values are counted as %d", d)
	}
	for i := range keys {
		if i%2 == 0 {
			keys[i] = 5
		}
	}
	skewed := ClassOf(p, []ir.Column{{Kind: ir.I32, Slice: keys}, {Kind: ir.I64, Slice: make([]int64, len(keys))}})
	if share := skewed.Keys[0].Share; share < 0.4 || share > 0.6 || c.Like(skewed) {
		t.Errorf("%+v, which is like %+v: %v", skewed, c, c.Like(skewed))
	}
	empty := ClassOf(p, []ir.Column{{Kind: ir.I32, Slice: []int32{}}, {Kind: ir.I64, Slice: []int64{}}})
	if empty.Rows != 0 || empty.Keys[0].Distinct != 0 || empty.Like(c) || !empty.Like(empty) {
		t.Errorf("%+v", empty)
	}
	for _, test := range []struct {
		rows, distinct int64
		like           bool
	}{{100000, 1000, true}, {199999, 501, true}, {200001, 1000, false}, {100000, 400, false}} {
		other := Class{Rows: test.rows, Keys: []Key{{Name: "g", Distinct: test.distinct}}}
		if one := (Class{Rows: 100000, Keys: []Key{{Name: "g", Distinct: 1000}}}); one.Like(other) != test.like {
			t.Errorf("%v is like %v: %v", one, other, !test.like)
		}
	}
}

// entry has a result per schedule; the first is kgen's own choice.
func entry(p *ir.Pipeline, device, driver string, class Class, times map[string]float64) Entry {
	e := Entry{Device: Device{device, "opencl", device + " chip", driver}, Pipeline: p.Name, Program: Digest(p), Kgen: "v1", Data: "auto", Class: class}
	for schedule, time := range times {
		r := explore.Result{Configuration: explore.Configuration{Level: "auto", Schedule: schedule}, Status: explore.Agrees, Summary: explore.Summary{Median: time, Count: 9}}
		if schedule == "" {
			e.Default = r
		} else {
			e.Results = append(e.Results, r)
		}
	}
	return e
}

func TestChoose(t *testing.T) {
	p := pipeline(t, sums)
	few, many := Class{1000, []Key{{"g", 10, 0.1}}}, Class{1000, []Key{{"g", 900, 0.01}}}
	f := &File{Version: formatVersion}
	f.Set(entry(p, "a", "1", few, map[string]float64{"": 5, "items=2": 4}))
	f.Set(entry(p, "a", "1", many, map[string]float64{"": 5, "items=4": 4}))
	f.Set(entry(p, "b", "1", few, map[string]float64{"": 5, "items=8": 6}))
	path := filepath.Join(t.TempDir(), "t.json")
	if err := f.Write(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	f, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	on := func(device, driver string) *Device { return &Device{device, "opencl", device + " chip", driver} }
	changed := pipeline(t, strings.Replace(sums, "sum(a", "min(a", 1))
	for _, test := range []struct {
		use      Use
		schedule string
		notes    []string // a part of each
	}{
		{Use{p, "opencl", on("a", "1"), &few, "v1"}, "items=2", []string{"level auto, items=2, tuned on a (a chip) over 1000 rows, g of 10 values"}},
		{Use{p, "opencl", on("a", "1"), &Class{1100, []Key{{"g", 800, 0.01}}}, "v1"}, "items=4", []string{"items=4"}},
		{Use{p, "opencl", on("b", "1"), &few, "v1"}, "", []string{"level auto, tuned on b"}},
		{Use{p, "opencl", on("b", "1"), &many, "v1"}, "", []string{"tuned on b", "not measured over such data (1000 rows, g of 900 values)"}},
		{Use{p, "opencl", on("a", "2"), &few, "v1"}, "items=2", []string{"tuned on a", "not measured with this driver (2, and then 1)"}},
		{Use{p, "opencl", on("c", "1"), &few, "v2"}, "items=2", []string{"tuned on a", "not measured on this device (c chip)", "measured by kgen v1"}},
		{Use{p, "cuda", on("a", "1"), &few, "v1"}, "", []string{"pipeline sums was not tuned for cuda; settings are those that kgen chooses"}},
		{Use{changed, "opencl", on("a", "1"), &few, "v1"}, "", []string{"pipeline sums is not what was tuned on b: its text has changed"}},
		{Use{Pipeline: p, Backend: "opencl", Kgen: "v1"}, "items=2", []string{"tuned on a"}},
	} {
		c := f.Choose(test.use)
		ok := c.Schedule == test.schedule && len(c.Notes) == len(test.notes)
		for i := range c.Notes {
			ok = ok && strings.Contains(c.Notes[i], test.notes[i])
		}
		if !ok {
			t.Errorf("%+v: %+v\nnot %q with %q", test.use, c, test.schedule, test.notes)
		}
	}
}

// The full search of an entry says how far others are from its best, in any order.
func TestConclude(t *testing.T) {
	gradient := Outcome{Search: "gradient", Tried: 10, Best: "items=2", Time: 104, Whole: true}
	full := Outcome{Search: "full", Tried: 100, Best: "items=4", Time: 100, Whole: true}
	for _, order := range [][]Outcome{{gradient, full}, {full, gradient}} {
		e := Entry{Space: Space{[]Axis{ordered("items", 100)}}}
		for _, o := range order {
			e.Conclude(o)
		}
		i := slices.IndexFunc(e.Searches, func(o Outcome) bool { return o.Search == "gradient" })
		if d := e.Searches[i].Distance; math.Abs(d-0.04) > 1e-9 {
			t.Errorf("distance %v", d)
		}
		var out bytes.Buffer
		if err := WriteSummary(&out, []*Entry{&e}); err != nil || out.String() != "gradient: 10.0 % of the configurations tried on average; within 5 % of the best in 1 of 1\n" {
			t.Errorf("%s%v", out.String(), err)
		}
	}
	part := full
	part.Whole = false
	e := Entry{}
	e.Conclude(gradient)
	e.Conclude(part)
	if e.Searches[0].Distance != 0 {
		t.Errorf("a part of the full search says how far others are: %+v", e.Searches)
	}
}

func TestPenalties(t *testing.T) {
	p := pipeline(t, sums)
	class := Class{1000, []Key{{"g", 10, 0.1}}}
	a := &File{Entries: []Entry{entry(p, "a", "1", class, map[string]float64{"": 9, "items=2": 4, "items=8": 6})}}
	b := &File{Entries: []Entry{entry(p, "b", "1", class, map[string]float64{"": 9, "items=8": 10, "items=16": 5})}}
	list := Penalties([]*File{a, b})
	if len(list) != 1 {
		t.Fatalf("%+v", list)
	}
	m := list[0]
	if want := [][]float64{{1, 0}, {0, 1}}; !slices.EqualFunc(m.Times, want, slices.Equal) {
		t.Errorf("%v, not %v", m.Times, want)
	}
	b.Entries[0].Results = append(b.Entries[0].Results, entry(p, "b", "1", class, map[string]float64{"items=2": 10}).Results...)
	m = Penalties([]*File{a, b})[0]
	if want := [][]float64{{1, 2}, {0, 1}}; !slices.EqualFunc(m.Times, want, slices.Equal) {
		t.Errorf("%v, not %v", m.Times, want)
	}
	var out bytes.Buffer
	if err := m.WriteText(&out); err != nil || !strings.Contains(out.String(), "1 a, a chip  1.00     2.00  level=auto,items=2") || !strings.Contains(out.String(), "not run") {
		t.Errorf("%s%v", out.String(), err)
	}
}

// On a device without work-groups, settings that were tuned elsewhere are their level.
func TestPenaltiesOfCores(t *testing.T) {
	p := pipeline(t, sums)
	class := Class{1000, []Key{{"g", 10, 0.1}}}
	gpu := entry(p, "gpu", "1", class, map[string]float64{"": 9, "items=2": 4})
	cores := entry(p, "cores", "1", class, map[string]float64{"": 6})
	cores.Space = Space{[]Axis{{Key: "level", Values: []string{"none", "auto"}}}}
	cores.Results = []explore.Result{{Configuration: explore.Configuration{Level: "none"}, Status: explore.Agrees, Summary: explore.Summary{Median: 3, Count: 9}}}
	gpu.Results = append(gpu.Results, explore.Result{Configuration: explore.Configuration{Level: "none"}, Status: explore.Agrees, Summary: explore.Summary{Median: 12, Count: 9}})
	m := Penalties([]*File{{Entries: []Entry{gpu}}, {Entries: []Entry{cores}}})[0]
	if want := [][]float64{{1, 2}, {3, 1}}; !slices.EqualFunc(m.Times, want, slices.Equal) {
		t.Errorf("%v, not %v", m.Times, want)
	}
}
