package fuse

import (
	"fmt"
	"math"
	"math/bits"
)

// Limits of the exhaustive search. Past them, only some plans are compared.
const (
	maxIdeals      = 256
	maxBuilds      = 20000
	maxConsecutive = 48 // stages in one kernel
	maxStages      = 96 // of a pipeline whose plans of consecutive stages are compared
)

// search finds the plan of least predicted cost. A state of the search is a
// set of stages that have run (an ideal of the dependence order); a step is
// one kernel, any legal set that leads to another state. So it compares every
// legal plan, each prefix of a plan once.
//
// If there are too many states, it compares plans that are cheap to find: plans
// whose kernels are consecutive stages, and plans that join each stage to the
// kernel in which it costs least. It improves the best by joining kernels (joinKernels).
func (f *Fusion) search() error {
	if ideals, ok := f.ideals(); ok {
		groups, searched := f.shortest(ideals)
		f.Groups, f.Searched = groups, fmt.Sprintf("all legal plans: %d sets of stages that could share a kernel, %d of them legal", searched[0], searched[1])
	} else {
		f.greedy(rule{}, true)
		f.Searched = "plans that join each stage where it costs least, and the plans of the other levels"
		if len(f.Graph.Stages) <= maxStages {
			f.Searched = "plans of consecutive stages, " + f.Searched
			if groups := f.consecutive(); f.costOf(groups) < f.Cost() {
				f.Groups = groups
			}
		}
		f.joinKernels()
		f.Searched = fmt.Sprintf("some of the legal plans, for there are %d stages: %s; then kernels are joined while that saves", len(f.Graph.Stages), f.Searched)
	}
	if err := f.compareLevels(); err != nil {
		return err
	}
	f.sizeEarly()
	return nil
}

// compareLevels takes the plan of another level if it costs less, which can happen
// once kernels that nothing needs are removed.
func (f *Fusion) compareLevels() error {
	least, err := f.remaining()
	if err != nil {
		return err
	}
	for _, level := range Levels {
		if level == LevelAuto {
			continue
		}
		other := &Fusion{Graph: f.Graph, Level: level, Machine: f.Machine, tried: f.tried}
		other.greedy(rules[level], false)
		cost, err := other.remaining()
		if err != nil {
			return err
		}
		if cost < least {
			least, f.Groups = cost, other.Groups
		}
	}
	return nil
}

// set is a set of stages by index.
type set uint64

func (s set) stages(g *Graph) []*Stage {
	var list []*Stage
	for i, stage := range g.Stages {
		if s>>i&1 != 0 {
			list = append(list, stage)
		}
	}
	return list
}

// ideals lists the sets of stages that contain all that their members need, in
// ascending order of size. It is not ok if there are too many.
func (f *Fusion) ideals() (list []set, ok bool) {
	n := len(f.Graph.Stages)
	if n > 63 {
		return nil, false
	}
	needs := make([]set, n)
	for i, needed := range f.Graph.depends {
		for j, yes := range needed {
			if yes {
				needs[i] |= 1 << j
			}
		}
	}
	list = []set{0}
	known := map[set]bool{0: true}
	for at := 0; at < len(list); at++ {
		for i := range n {
			next := list[at] | 1<<i
			if list[at]>>i&1 == 0 && needs[i]&^list[at] == 0 && !known[next] {
				if len(list) >= maxIdeals {
					return nil, false
				}
				known[next] = true
				list = append(list, next)
			}
		}
	}
	return list, len(list)*len(list)/2 <= maxBuilds
}

// shortest finds the cheapest path from the empty to the full ideal.
func (f *Fusion) shortest(ideals []set) (groups [][]*Stage, searched [2]int) {
	costs := map[set]float64{} // of a kernel; +Inf where illegal
	kernelCost := func(s set) float64 {
		if c, ok := costs[s]; ok {
			return c
		}
		t := f.try(s.stages(f.Graph))
		if t.illegal != nil {
			t.cost = math.Inf(1)
		} else {
			searched[1]++
		}
		costs[s] = t.cost
		searched[0]++
		return t.cost
	}
	least := make([]float64, len(ideals))
	from := make([]int, len(ideals))
	for i := 1; i < len(ideals); i++ { // smaller ideals come first
		least[i] = math.Inf(1)
		for j := range i {
			if ideals[j]&^ideals[i] != 0 || math.IsInf(least[j], 1) {
				continue
			}
			if c := least[j] + kernelCost(ideals[i]&^ideals[j]); c < least[i] {
				least[i], from[i] = c, j
			}
		}
	}
	for i := len(ideals) - 1; i > 0; i = from[i] {
		kernel := ideals[i] &^ ideals[from[i]]
		if bits.OnesCount64(uint64(kernel)) > 0 {
			groups = append([][]*Stage{kernel.stages(f.Graph)}, groups...)
		}
	}
	return groups, searched
}

// consecutive finds the cheapest plan whose kernels are runs of stages in
// their order.
func (f *Fusion) consecutive() [][]*Stage {
	stages := f.Graph.Stages
	n := len(stages)
	least := make([]float64, n+1)
	from := make([]int, n+1)
	for i := 1; i <= n; i++ {
		least[i] = math.Inf(1)
		for j := i - 1; j >= max(0, i-maxConsecutive); j-- {
			if t := f.try(stages[j:i]); t.illegal == nil && least[j]+t.cost < least[i] {
				least[i], from[i] = least[j]+t.cost, j
			}
		}
	}
	var groups [][]*Stage
	for i := n; i > 0; i = from[i] {
		groups = append([][]*Stage{stages[from[i]:i]}, groups...)
	}
	return groups
}
