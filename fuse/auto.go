package fuse

import (
	"fmt"
	"math"
	"math/bits"
)

// Limits of the exhaustive search. Past them, only plans whose kernels are
// consecutive stages are compared.
const (
	maxIdeals = 256
	maxBuilds = 20000
)

// search finds the plan of least predicted cost. A state of the search is a
// set of stages that have run (an ideal of the dependence order); a step is
// one kernel, any legal set that leads to another state. So it compares every
// legal plan, each prefix of a plan once.
func (f *Fusion) search() {
	if ideals, ok := f.ideals(); ok {
		groups, searched := f.shortest(ideals)
		f.Groups, f.Searched = groups, fmt.Sprintf("all legal plans: %d sets of stages that could share a kernel, %d of them legal", searched[0], searched[1])
		return
	}
	f.Groups = f.consecutive()
	f.Searched = "all legal plans of consecutive stages"
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

// ideals lists the sets of stages that hold all that their members need, in
// ascending order of size; not ok where there are too many.
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
		c := math.Inf(1)
		if k, err := f.legal(s.stages(f.Graph), rule{}); err == nil {
			c = f.cost(k)
			searched[1]++
		}
		costs[s] = c
		searched[0]++
		return c
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
			if k, err := f.legal(stages[j:i], rule{}); err == nil {
				if c := least[j] + f.cost(k); c < least[i] {
					least[i], from[i] = c, j
				}
			}
		}
	}
	var groups [][]*Stage
	for i := n; i > 0; i = from[i] {
		groups = append([][]*Stage{stages[from[i]:i]}, groups...)
	}
	return groups
}

// maxConsecutive bounds the kernels that consecutive looks at.
const maxConsecutive = 64
