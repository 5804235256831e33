package fuse

import (
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Columns that two ways make have the memory of the result. A kernel of one way that reads
// both the result and what its way makes has one stream of that memory, or is invalid.
func TestOneNameInAWay(t *testing.T) {
	for _, results := range []string{"sum(g, by: g)", "max(g, by: g)", "sum(g, by: g), n: count(by: g), k: first(k[keep], by: g)", "sum(g, by: g), of: g"} {
		g := graphOf(t, "k: [n]i64, keep: [n]bool", "g = groups(k[keep])\n\treturn x: "+results, Options{Hash: 2})
		for _, level := range Levels {
			program(t, g, level) // which verifies kernels
		}
	}
}

// A stage whose results nothing reads takes none of what it reads out of its way: rows that are
// numbered by groups, and not combined, move only where a partition pays.
func TestIdleStagesNeedNothing(t *testing.T) {
	g := graphOf(t, "k: [n]i64, keep: [n]bool", "return g: groups(k[keep])", Options{Short: true, Hash: 2, HashGroups: 2, Partitions: true, Sample: 1})
	for _, level := range Levels {
		p := program(t, g, level)
		for _, step := range p.Plan.Steps {
			if step.Launch == nil {
				continue
			}
			at := slices.IndexFunc(p.Plan.Kernels, func(k plan.Kernel) bool { return k.Name == step.Launch.Kernel })
			if stages := p.Groups[at]; slices.ContainsFunc(stages, func(s *Stage) bool { return s.Kind == Pass || s.Kind == Insert }) {
				t.Errorf("%s: %s runs in any case: %s", level, step.Launch.Kernel, p.Plan.Kernels[at].Stages)
			}
		}
	}
}

// A range that two ways need, of which one is tried where others have not been taken, is found
// only where it is tried.
func TestRangeIsFoundWhereItIsTried(t *testing.T) {
	g := graphOf(t, "k: [n]i32", "g = groups(k)\n\treturn k: first(k, by: g), rows: count(by: g)", Options{Short: true, Hash: 2, HashGroups: 2, Partitions: true, Sample: 1})
	isRange := func(v *ir.Value) bool { return v.Op == ir.OpMin && v.Limit != nil }
	for _, level := range Levels {
		p, found := program(t, g, level), 0
		var visit func(steps []plan.Step, isFirst bool)
		visit = func(steps []plan.Step, isFirst bool) {
			for _, step := range steps {
				if step.If != nil {
					visit(step.If.Then, true)
					visit(step.If.Else, false)
				}
				if step.Launch == nil {
					continue
				}
				at := slices.IndexFunc(p.Plan.Kernels, func(k plan.Kernel) bool { return k.Name == step.Launch.Kernel })
				if !slices.ContainsFunc(p.Groups[at], func(s *Stage) bool { return slices.ContainsFunc(s.roots, isRange) }) {
					continue
				}
				if found++; !isFirst {
					t.Errorf("%s: %s runs in any case", level, step.Launch.Kernel)
				}
			}
		}
		visit(p.Plan.Steps, false)
		if found != 1 {
			t.Errorf("%s: %d kernels find the range", level, found)
		}
	}
}

// Rows of many bins have three ways, which explanations name; rows of as many as local memory has room for
// have one, as rows that an aggregate gives, and those of bins that must not be empty.
func TestWaysOfBins(t *testing.T) {
	options := Options{Short: true, Hash: 2, HashGroups: 2, Partitions: true}
	all := []string{"bins of partitioned rows", "bins of rows in their order", "bins of rows in any order"}
	for results, want := range map[string][]string{
		"x: count(by: bins(k, 65536))":            nil, // two slices
		"x: count(by: bins(k, 65537))":            all,
		"x: sum(k, by: bins(k, 16384))":           nil,
		"x: sum(k, by: bins(k, 16385))":           all,
		"x: sum(k, by: bins(k, 16777216))":        all,
		"x: sum(k, by: bins(k, 16777217))":        nil,
		"x: sum(k, by: bins(k, len(k)))":          all,
		"x: argmax(k, by: bins(k, 65537))":        nil,
		"x: max(k, by: bins(k, 65537))":           nil,
		"x: max(k, by: bins(k, 65537), else: -1)": all,
	} {
		g := graphOf(t, "k: [n]i32", "return "+results, options)
		for _, level := range Levels {
			p, names := program(t, g, level), map[string]bool{}
			for i := range p.Kernels {
				names[g.wayName(p.Groups[i][0])] = true
			}
			for _, name := range all {
				if names[name] != slices.Contains(want, name) {
					t.Errorf("%s: %s: ways %v", level, results, names)
				}
			}
		}
	}
}

// Rows of a table move if they are many, which explanations say; those that masks keep do not, and neither does
// anything without partitions or in tables that users ask for.
func TestWaysOfTables(t *testing.T) {
	all := []string{"a table of rows as they come", "a table of rows that move first"}
	partitions := Options{Short: true, Partitions: true}
	for _, c := range []struct {
		results string
		options Options
		moves   bool
	}{
		{"f: find(a, in: b)", partitions, true},
		{"n: count(find(a, in: b) >= 0)", partitions, true},
		{"n: len(join(b, a).left)", partitions, true},
		{"f: find(a, in: b[b > 1])", partitions, false},
		{"f: find(a, in: b)", Options{Short: true}, false},
		{"f: find(a, in: b)", Options{Short: true, Partitions: true, Moved: -1}, false},
		{"f: find(a, in: b)", Options{Cores: true, Entered: true, Partitions: true}, false},
		{"f: find(a, in: b)", Options{Short: true, Partitions: true, Probing: plan.Linear}, false},
	} {
		g := graphOf(t, "a: [n]i32, b: [m]i32", "return "+c.results, c.options)
		if got := slices.ContainsFunc(g.Stages, func(s *Stage) bool { return s.Kind == Pass }); got != c.moves {
			t.Errorf("%+v: %s: rows move: %t", c.options, c.results, got)
		}
		for _, level := range Levels {
			p, names := program(t, g, level), map[string]bool{}
			for i := range p.Kernels {
				names[g.wayName(p.Groups[i][0])] = true
			}
			for _, name := range all {
				if names[name] != c.moves {
					t.Errorf("%s: %+v: %s: ways %v", level, c.options, c.results, names)
				}
			}
		}
	}
}

// Many rows with narrow keys that are not slots enter a table part by part, which explanations say.
func TestWaysOfNarrowKeys(t *testing.T) {
	for keys, isByParts := range map[string]bool{"i32": true, "f32": true, "i64": false} {
		g := graphOf(t, "a: [n]"+keys+", b: [m]"+keys, "return f: find(a, in: b)", Options{Short: true, Partitions: true})
		p, names := program(t, g, LevelAuto), map[string]bool{}
		for i, k := range p.Kernels {
			names[g.wayName(p.Groups[i][0])] = true
			if k.Has((*tile.Op).EntersParts) && len(p.Groups[i]) != 1 {
				t.Errorf("%s: %s has %d stages", keys, k.Name, len(p.Groups[i]))
			}
		}
		if names["a table made part by part"] != isByParts {
			t.Errorf("%s: ways %v", keys, names)
		}
	}
}

// Many rows that are looked up move first where all that is asked is folded in any order, which explanations say.
func TestWaysOfLooks(t *testing.T) {
	for results, moves := range map[string]bool{
		"s: sum(x[f[f >= 0]])": true,
		"s: sum(x[f[f >= 0]]), n: count(f < 0), x: x[f[f >= 0]]": true,
		"s: f64(sum(x[f[f >= 0]])) * 2.0":                        true, // in the kernels that fold
		"s: sum(x[f[f >= 0 && a > 3]] * y[f >= 0 && a > 3])":     true,
		"s: sum(f64(x[f[f >= 0]]))":                              false,
		"s: first(x[f[f >= 0]], else: 0)":                        false,
		"s: argmin(x[f[f >= 0]])":                                false,
		"s: sum(x[f[f >= 0]] / y[f >= 0])":                       false, // which may fail
		"s: sum(f), x: x":                                        false,
		"s: sum(y), z: x[f[f >= 0]]":                             false,
	} {
		g := graphOf(t, "a: [n]i32, y: [n]i32, b: [m]i32, x: [m]i32", "f = find(a, in: b)\n\treturn y: y, "+results, Options{Short: true, Partitions: true})
		p, names := program(t, g, LevelAuto), map[string]bool{}
		for i := range p.Kernels {
			names[g.wayName(p.Groups[i][0])] = true
		}
		for _, name := range []string{"rows looked up in the order of the table", "rows looked up as they come"} {
			if names[name] != moves {
				t.Errorf("%s: ways %v", results, names)
			}
		}
		for _, k := range p.Kernels {
			if moves && k.Domains[0].Plan == "" {
				t.Errorf("%s: %s has scalars alone", results, k.Name)
			}
		}
	}
}

// Rows on the right of a join are sorted where they are many, and only then; explanations say so.
func TestWaysOfJoins(t *testing.T) {
	all := []string{"a table of all rows", "a table of a row of each key"}
	for keys, isGrouped := range map[string]bool{"i32": true, "f32": true, "i64": false} {
		g := graphOf(t, "a: [n]"+keys+", b: [m]"+keys, "j = join(a, b)\n\treturn x: j.left, y: j.right", Options{Short: true, Partitions: true})
		p, names := program(t, g, LevelAuto), map[string]bool{}
		for i, k := range p.Kernels {
			names[g.wayName(p.Groups[i][0])] = true
			if strings.HasSuffix(k.Domains[0].Plan, "_grouped") && len(p.Groups[i][0].ways) != 1 {
				t.Errorf("%s: %s runs in the ways %v", keys, k.Name, p.Groups[i][0].ways)
			}
		}
		for i, k := range p.Kernels { // words are only made for unique keys or for others
			if strings.HasSuffix(k.Domains[0].Plan, "_keys_slots") && len(p.Groups[i][0].ways) != 2 {
				t.Errorf("%s: %s runs in the ways %v", keys, k.Name, p.Groups[i][0].ways)
			}
		}
		for _, d := range p.Plan.Domains { // searches go on from the last slot to the first
			if strings.Contains(d.Name, "_of_rows_or_keys") && d.Len.Op == plan.OpMax {
				t.Errorf("%s: %s has %s rows, those of the table that is not made among them", keys, d.Name, d.Len)
			}
		}
		for _, name := range all {
			if names[name] != isGrouped {
				t.Errorf("%s: ways %v", keys, names)
			}
		}
	}
}

// The first kernel that knows the sum of lengths tells how many rows an expansion has.
func TestSizesAreEarly(t *testing.T) {
	g := graphOf(t, "length: [m]i32", "return row: repeat(length)", Options{Short: true, Lengths: true})
	p := program(t, g, LevelAuto)
	for i, group := range p.Groups {
		isSum := func(s *Stage) bool { return s.Kind == Reduce }
		if slices.ContainsFunc(group, (*Stage).sizesEarly) && !slices.ContainsFunc(group, isSum) {
			t.Errorf("%s tells a size that a kernel before it could", p.Kernels[i].Name)
		}
	}
}
