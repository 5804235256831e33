package fuse

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/tile"
)

// The levels of fusion. Any other level is a plan by hand: the names of the
// stages of each kernel, kernels parted by |.
const (
	LevelNone    = "none"    // a kernel per stage; every intermediate value is stored
	LevelPaper3  = "paper3"  // as published: mask, partial and offset; addition; aggregation
	LevelPaper2  = "paper2"  // as published: mask, partial and offset; addition and aggregation
	LevelOnePass = "onepass" // whatever one kernel can do with one grid-wide prefix
	LevelAuto    = "auto"    // the legal plan of least predicted cost
)

// Levels lists the names of the levels, the default last.
var Levels = []string{LevelNone, LevelPaper3, LevelPaper2, LevelOnePass, LevelAuto}

// A rule says what kernels a level allows, given the kinds of stages in one
// and its tile program.
type rule struct {
	together func(kinds map[StageKind]bool) string // "" or why not
	cuts     int                                   // grid-wide prefixes a kernel may hold
}

// front and back are the published kernels before and after the grid-wide
// exchange; maps join either.
var (
	front = []StageKind{Map, Mask, Partial, Offset}
	back  = []StageKind{Map, Compact, Aggregate, Finish, Reduce, ScalarMap}
)

func within(kinds map[StageKind]bool, allowed []StageKind) bool {
	for kind := range kinds {
		if !slices.Contains(allowed, kind) {
			return false
		}
	}
	return true
}

var rules = map[string]rule{
	LevelNone: {together: func(map[StageKind]bool) string { return "at level none every stage is a kernel" }},
	LevelPaper3: {together: func(kinds map[StageKind]bool) string {
		if within(kinds, front) || within(kinds, back) {
			return ""
		}
		return "at level paper3 the offset addition is a kernel between the prefix and its use"
	}},
	LevelPaper2: {together: func(kinds map[StageKind]bool) string {
		if within(kinds, front) || within(kinds, append([]StageKind{Add}, back...)) {
			return ""
		}
		return "at level paper2 the offsets end a kernel, and their addition begins the next"
	}},
	LevelOnePass: {together: func(map[StageKind]bool) string { return "" }, cuts: 1},
}

// Fusion is a pipeline whose stages are grouped into kernels.
type Fusion struct {
	Graph    *Graph
	Level    string
	Machine  plan.Machine
	Groups   [][]*Stage // in launch order
	Searched string     // what an automatic choice looked at
}

// Fuse groups the stages of g into kernels as level says: one of Levels, or a
// plan by hand. Costs are predicted for machine.
func Fuse(g *Graph, level string, machine plan.Machine) (*Fusion, error) {
	f := &Fusion{Graph: g, Level: level, Machine: machine}
	switch {
	case level == LevelAuto:
		f.search()
	case rules[level].together != nil:
		f.greedy(rules[level])
	case strings.ContainsAny(level, "| ") || g.stageNamed(level) != nil:
		if err := f.byHand(level); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("there is no fusion level %q; there are %s, or a plan by hand: the stages of each kernel, kernels parted by |, such as %q",
			level, strings.Join(Levels, ", "), f.example())
	}
	return f, nil
}

// example writes the plan of level none by hand.
func (f *Fusion) example() string {
	return strings.Join(names(f.Graph.Stages), " | ")
}

// leaving tells which values a kernel made of stages must store for others.
func (g *Graph) leaving(stages []*Stage) func(*Value) bool {
	in := map[*Stage]bool{}
	for _, s := range stages {
		in[s] = true
	}
	return func(v *Value) bool {
		if g.isOutput(v) {
			return true
		}
		for _, s := range g.Stages {
			if !in[s] && slices.ContainsFunc(s.Reads, func(u Use) bool { return u.Value == v }) {
				return true
			}
		}
		return false
	}
}

// isOutput reports whether v is a result, or the length of a domain of results.
func (g *Graph) isOutput(v *Value) bool {
	for _, r := range g.Pipeline.Results {
		if v.Kind == Result && v.IR == r.Value || v.Kind == Lengths && r.Value.Type.Domain == v.Of {
			return true
		}
	}
	return false
}

// legal builds the kernel of stages, or says why it is not allowed.
func (f *Fusion) legal(stages []*Stage, r rule) (*tile.Kernel, error) {
	if len(stages) > 1 && r.together != nil {
		kinds := map[StageKind]bool{}
		for _, s := range stages {
			kinds[s.Kind] = true
		}
		if why := r.together(kinds); why != "" {
			return nil, &Reason{why}
		}
	}
	k, err := f.Graph.Build("candidate", stages, f.Graph.leaving(stages))
	if err != nil {
		return nil, err
	}
	if cuts := len(tile.Analyze(k).Cuts); r.cuts > 0 && cuts > r.cuts && len(stages) > 1 {
		return nil, &Reason{fmt.Sprintf("it would need %d grid-wide prefixes, each after the other, and level %s allows one", cuts, f.Level)}
	}
	return k, nil
}

// greedy puts each stage, in order, into the kernel where the plan so far costs
// least, among those that the rule and its operands allow. The three stages of
// a prefix move together where the rule lets them.
func (f *Fusion) greedy(r rule) {
	placed := map[*Stage]bool{}
	for _, s := range f.Graph.Stages {
		if placed[s] {
			continue
		}
		unit := []*Stage{s}
		if s.Kind == Partial {
			whole := []*Stage{s, s.prefix.Offset, s.prefix.Add}
			if f.place(whole, r, true) {
				for _, t := range whole {
					placed[t] = true
				}
				continue
			}
		}
		f.place(unit, r, false)
		placed[s] = true
	}
}

// place adds unit to the best kernel. Without one it makes a new kernel,
// unless joining is required.
func (f *Fusion) place(unit []*Stage, r rule, join bool) bool {
	best, bestCost := -1, 0.0
	for i := len(f.Groups) - 1; i >= 0; i-- {
		joined := append(slices.Clone(f.Groups[i]), unit...)
		if k, err := f.legal(joined, r); err == nil {
			old, _ := f.legal(f.Groups[i], rule{})
			added := f.cost(k) - f.cost(old)
			if best < 0 || added < bestCost {
				best, bestCost = i, added
			}
		}
		if f.needed(unit, f.Groups[i]) {
			break // unit cannot run before this kernel
		}
	}
	if best >= 0 {
		f.Groups[best] = append(f.Groups[best], unit...)
		return true
	}
	if join {
		if _, err := f.legal(unit, r); err != nil {
			return false
		}
	}
	f.Groups = append(f.Groups, unit)
	return true
}

// needed reports whether a stage of unit needs a stage of group.
func (f *Fusion) needed(unit, group []*Stage) bool {
	for _, s := range unit {
		for _, t := range group {
			if f.Graph.Needs(s, t) {
				return true
			}
		}
	}
	return false
}
