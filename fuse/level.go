package fuse

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// The levels of fusion. Any other level is a plan by hand: the names of the
// stages of each kernel, kernels separated by |.
const (
	LevelNone    = "none"    // a kernel per stage; every intermediate value is stored
	LevelPaper3  = "paper3"  // as published: mask, partial and offset; addition; aggregation
	LevelPaper2  = "paper2"  // as published: mask, partial and offset; addition and aggregation
	LevelOnePass = "onepass" // whatever one kernel can do with one grid-wide prefix
	LevelAuto    = "auto"    // the legal plan of least predicted cost
)

// Levels lists the names of the levels, the default last.
var Levels = []string{LevelNone, LevelPaper3, LevelPaper2, LevelOnePass, LevelAuto}

// A rule says which kernels a level allows, by the kinds of their stages and their
// tile programs.
type rule struct {
	together func(kinds map[StageKind]bool) string // "" or why not
	cuts     int                                   // grid-wide prefixes a kernel may hold
}

// front and back are the stages of the published kernels before and after the
// grid-wide exchange. Maps join either.
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

	tried map[string]trial // kernels built so far, by the indices of their stages
}

// trial is the outcome of building a kernel.
type trial struct {
	cost    float64 // predicted seconds
	cuts    int
	illegal error
}

// Fuse groups the stages of g into kernels as level says: one of [Levels], or a
// plan by hand. Costs are predicted for machine. The error says what is wrong with
// the level or the plan.
func Fuse(g *Graph, level string, machine plan.Machine) (*Fusion, error) {
	f := &Fusion{Graph: g, Level: level, Machine: machine}
	switch {
	case level == LevelAuto:
		if err := f.search(); err != nil {
			return nil, err
		}
	case rules[level].together != nil:
		f.greedy(rules[level], false)
		f.joinNeighbours(rules[level])
	case strings.ContainsAny(level, "| ") || g.stagesNamed(level) != nil:
		if err := f.byHand(level); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("there is no fusion level %q; there are %s, or a plan by hand: the stages of each kernel, kernels separated by |, such as %q",
			level, strings.Join(Levels, ", "), f.example())
	}
	return f, nil
}

// example writes a short plan by hand.
func (f *Fusion) example() string {
	const few = 12
	if len(f.Graph.Stages) <= few {
		return strings.Join(names(f.Graph.Stages), " | ")
	}
	var kinds []string
	for _, s := range f.Graph.Stages {
		if !slices.Contains(kinds, string(s.Kind)) {
			kinds = append(kinds, string(s.Kind))
		}
	}
	return strings.Join(kinds, " ")
}

// leaving returns which values a kernel of stages must store for others.
func (g *Graph) leaving(stages []*Stage) func(*Value) bool {
	in := map[*Stage]bool{}
	for _, s := range stages {
		in[s] = true
	}
	return func(v *Value) bool {
		return g.outputs[v] || slices.ContainsFunc(g.readBy[v], func(s *Stage) bool { return !in[s] })
	}
}

// refuses says why the level keeps stages apart, whether or not their kernel is legal.
func (r rule) refuses(stages []*Stage) string {
	if len(stages) < 2 || r.together == nil {
		return ""
	}
	kinds := map[StageKind]bool{}
	for _, s := range stages {
		kinds[s.Kind] = true
	}
	return r.together(kinds)
}

// legal says what the kernel of stages costs, or why it is not allowed.
func (f *Fusion) legal(stages []*Stage, r rule) (trial, error) {
	if why := r.refuses(stages); why != "" {
		return trial{}, &Reason{why}
	}
	t := f.try(stages)
	if t.illegal != nil {
		return t, t.illegal
	}
	if r.cuts > 0 && t.cuts > r.cuts && len(stages) > 1 {
		return t, &Reason{fmt.Sprintf("it would need %d grid-wide prefixes, each after the other, and level %s allows one", t.cuts, f.Level)}
	}
	return t, nil
}

// maxTogether bounds the stages of a kernel: more would not find registers on
// any device, and trying them all would take long.
const maxTogether = 256

// try builds the kernel of stages, once.
func (f *Fusion) try(stages []*Stage) trial {
	stages = inOrder(stages)
	id := make([]byte, 0, 2*len(stages))
	for _, s := range stages {
		id = binary.BigEndian.AppendUint16(id, uint16(s.Index))
	}
	if t, known := f.tried[string(id)]; known {
		return t
	}
	var t trial
	if len(stages) > maxTogether {
		t.illegal = &Reason{fmt.Sprintf("it would have %d stages, and a kernel has at most %d", len(stages), maxTogether)}
	} else if k, err := f.Graph.Build("candidate", stages, f.Graph.leaving(stages)); err != nil {
		t.illegal = err
	} else {
		t.cost, t.cuts = f.cost(k), k.CountCuts()
	}
	if f.tried == nil {
		f.tried = map[string]trial{}
	}
	f.tried[string(id)] = t
	return t
}

// inOrder returns stages in the order of the graph.
func inOrder(stages []*Stage) []*Stage {
	byIndex := func(a, b *Stage) int { return a.Index - b.Index }
	if slices.IsSortedFunc(stages, byIndex) {
		return stages
	}
	return slices.SortedFunc(slices.Values(stages), byIndex)
}

// greedy puts each stage, in order, into the kernel with which the plan so far
// costs least, among the kernels that the rule and its operands allow. A kernel of
// its own is the last choice, or with free a choice like any other. The three
// stages of a prefix move together if the rule lets them.
func (f *Fusion) greedy(r rule, free bool) {
	placed := map[*Stage]bool{}
	for _, s := range f.Graph.Stages {
		if placed[s] {
			continue
		}
		if s.Kind == Partial {
			whole := []*Stage{s, s.prefix.Offset, s.prefix.Add}
			if _, err := f.legal(whole, r); err == nil {
				f.place(whole, r, free)
				for _, t := range whole {
					placed[t] = true
				}
				continue
			}
		}
		f.place([]*Stage{s}, r, free)
	}
}

// joinNeighbours makes one kernel of two that follow each other where the rule counts prefixes: stages that need two, one
// by one, may need one together.
func (f *Fusion) joinNeighbours(r rule) {
	for i := 0; r.cuts > 0 && i+1 < len(f.Groups); {
		both := slices.Concat(f.Groups[i], f.Groups[i+1])
		if _, err := f.legal(both, r); err != nil {
			i++
			continue
		}
		f.Groups = slices.Replace(f.Groups, i, i+2, inOrder(both))
	}
}

// sizesEarly reports whether s says how many slots a hash table or how many rows an expansion has.
func (s *Stage) sizesEarly() bool {
	return slices.ContainsFunc(s.Writes, func(w *Value) bool {
		return w.Kind == Lengths && w.Of.By != nil && (w.Of.By.Op == ir.OpInsert || w.Of.By.Op == ir.OpExpand)
	})
}

// sizeEarly moves what says how many rows there are to the first kernel that can tell it at no cost: a kernel that
// comes later may do so in a launch of its own, for which what has the size waits.
func (f *Fusion) sizeEarly() {
	for at := range f.Groups {
		for _, s := range slices.Clone(f.Groups[at]) {
			rest := slices.DeleteFunc(slices.Clone(f.Groups[at]), func(other *Stage) bool { return other == s })
			if !s.sizesEarly() || len(rest) == 0 {
				continue
			}
			first := at
			for first > 0 && !f.Graph.needsAny([]*Stage{s}, f.Groups[first]) {
				first--
			}
			for i := first; i < at; i++ {
				joined := slices.Concat(f.Groups[i], []*Stage{s})
				t, err := f.legal(joined, rule{})
				if err != nil || t.cost+f.try(rest).cost > f.try(f.Groups[i]).cost+f.try(f.Groups[at]).cost {
					continue
				}
				f.Groups[i], f.Groups[at] = inOrder(joined), rest
				break
			}
		}
	}
}

// place adds unit to the best kernel, or makes it a new one. A size costs the
// same in any kernel: it is computed in the first of them, so that what has it need not wait for others.
func (f *Fusion) place(unit []*Stage, r rule, free bool) {
	best, least := -1, math.Inf(1)
	early := free && len(unit) == 1 && unit[0].sizesEarly()
	if free {
		least = f.try(unit).cost
	}
	for i := len(f.Groups) - 1; i >= 0; i-- {
		if t, err := f.legal(slices.Concat(f.Groups[i], unit), r); err == nil {
			if added := t.cost - f.try(f.Groups[i]).cost; added < least || early && added == least {
				best, least = i, added
			}
		}
		if f.Graph.needsAny(unit, f.Groups[i]) {
			break // unit cannot run before this kernel
		}
	}
	if best < 0 {
		f.Groups = append(f.Groups, unit)
		return
	}
	f.Groups[best] = inOrder(slices.Concat(f.Groups[best], unit))
}
