package fuse

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/internal/tile"
)

// Pair is two stages that could share a kernel because a value goes from one
// to the other, or because both read it over the same rows.
type Pair struct {
	From    string      `json:"from"`
	To      string      `json:"to"`
	Values  []PairValue `json:"values"`
	Merged  bool        `json:"merged"`
	Saved   int64       `json:"saved"`             // bytes, against level none, that are not stored and loaded again
	Blocked Block       `json:"blocked,omitempty"` // what keeps them apart
	Why     string      `json:"why,omitempty"`     // the same in words
}

// PairValue is a value that both stages of a pair touch.
type PairValue struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`  // of all its rows; 0 for a scalar
	Shared bool   `json:"shared"` // both read it; else From writes it and To reads it
}

// Block is what keeps two stages apart.
type Block string

// The kinds of blocks.
const (
	BlockedIllegal Block = "illegal" // no kernel can do it
	BlockedByOrder Block = "order"   // another kernel has to run in between
	BlockedByLevel Block = "level"   // a rule of the level
	BlockedByCost  Block = "cost"    // together they would cost more
	BlockedByPlan  Block = "plan"    // allowed, but the plan by hand or the level's order of joining separates them
	BlockedDropped Block = "dropped" // one of them does not run
)

// neighbours finds the pairs of a program.
type neighbours struct {
	*Program
	where  map[*Stage]int // kernel of a stage that runs
	none   map[*Stage]*tile.Kernel
	index  map[[2]*Stage]int
	list   []Pair
	stages [][2]*Stage // of list
	why    map[[2]int]blocked
}

type blocked struct {
	by  Block
	why string
}

func newNeighbours(p, none *Program) *neighbours {
	n := &neighbours{Program: p, where: p.where(), none: map[*Stage]*tile.Kernel{}, index: map[[2]*Stage]int{}, why: map[[2]int]blocked{}}
	for i, group := range none.Groups {
		n.none[group[0]] = none.Kernels[i]
	}
	return n
}

// pairs lists the pairs by their stages' order. Bytes that two pairs could
// claim are counted once: a store at the first pair that makes it needless, a
// load shared by several stages of a kernel at all but the first.
func (n *neighbours) pairs() []Pair {
	g := n.Fusion.Graph
	for _, w := range g.Values {
		n.ofValue(w, g.readers(w))
	}
	order := make([]int, len(n.list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return slices.Compare([]int{n.stages[a][0].Index, n.stages[a][1].Index}, []int{n.stages[b][0].Index, n.stages[b][1].Index})
	})
	sorted := make([]Pair, len(order))
	for i, at := range order {
		sorted[i] = n.list[at]
	}
	return sorted
}

// readers lists the stages that read w, without those that only run over the
// rows whose number w is.
func (g *Graph) readers(w *Value) []*Stage {
	var list []*Stage
	for _, s := range g.readBy[w] {
		i := slices.IndexFunc(s.Reads, func(use Use) bool { return use.Value == w })
		if w.Kind != Lengths || s.Reads[i].Whole {
			list = append(list, s)
		}
	}
	return list
}

// ofValue adds the pairs that w makes.
func (n *neighbours) ofValue(w *Value, readers []*Stage) {
	stored := w.Writer != nil && !touches(n.none[w.Writer], w, true) || n.isStored(w)
	for i, s := range readers {
		merged := w.Writer != nil && n.merged(w.Writer, s)
		if w.Writer != nil {
			saved := int64(0)
			if merged {
				if touches(n.none[s], w, false) {
					saved = n.Fusion.Graph.bytesOf(w)
				}
				if !stored {
					saved += n.Fusion.Graph.bytesOf(w)
					stored = true
				}
			}
			n.add(w.Writer, s, w, false, saved)
		}
		if merged || w.Domain == nil {
			continue
		}
		if before := n.earlierReader(w, readers[:i], s); before != nil {
			saved := int64(0)
			if n.merged(before, s) && touches(n.none[s], w, false) && touches(n.none[before], w, false) {
				saved = n.Fusion.Graph.bytesOf(w)
			}
			n.add(before, s, w, true, saved)
		}
	}
}

// earlierReader finds a reader of w over the same rows before s: the nearest in
// its kernel, else the nearest that does not share a kernel with w's writer.
func (n *neighbours) earlierReader(w *Value, before []*Stage, s *Stage) *Stage {
	var nearest *Stage
	for _, t := range slices.Backward(before) {
		if t.Domain != s.Domain || w.Writer != nil && n.merged(w.Writer, t) {
			continue
		}
		if n.merged(t, s) {
			return t
		}
		if nearest == nil {
			nearest = t
		}
	}
	return nearest
}

// isStored reports whether a kernel of the program stores w.
func (n *neighbours) isStored(w *Value) bool {
	at, runs := n.where[w.Writer]
	return runs && touches(n.Kernels[at], w, true)
}

// touches reports whether k stores (or loads) the column w.
func touches(k *tile.Kernel, w *Value, write bool) bool {
	return k != nil && slices.ContainsFunc(k.Streams, func(s tile.Stream) bool { return s.Buffer == w.Name && s.Write == write })
}

// merged reports whether two stages run in one kernel.
func (n *neighbours) merged(a, b *Stage) bool {
	i, aRuns := n.where[a]
	j, bRuns := n.where[b]
	return aRuns && bRuns && i == j
}

// bytesOf predicts the size of all rows of w.
func (g *Graph) bytesOf(w *Value) int64 {
	if w.Domain == nil {
		return 0
	}
	return int64(g.lengthOf(w) * float64(w.Type.Size()))
}

// add records that w makes a pair of a and b.
func (n *neighbours) add(a, b *Stage, w *Value, shared bool, saved int64) {
	key := [2]*Stage{a, b}
	at, known := n.index[key]
	if !known {
		at = len(n.list)
		n.index[key] = at
		pair := Pair{From: a.Name, To: b.Name, Merged: n.merged(a, b)}
		if !pair.Merged {
			why := n.whyNot(a, b)
			pair.Blocked, pair.Why = why.by, why.why
		}
		n.list = append(n.list, pair)
		n.stages = append(n.stages, key)
	}
	pair := &n.list[at]
	pair.Values = append(pair.Values, PairValue{w.Name, n.Fusion.Graph.bytesOf(w), shared})
	pair.Saved += saved
}

// whyNot says what keeps a and b apart: why the kernels that hold them cannot
// be, or are not, one.
func (n *neighbours) whyNot(a, b *Stage) blocked {
	for _, s := range []*Stage{a, b} {
		if _, runs := n.where[s]; !runs {
			return blocked{BlockedDropped, "nothing needs " + s.Name}
		}
	}
	i, j := n.where[a], n.where[b]
	if i > j {
		i, j = j, i
	}
	key := [2]int{i, j}
	if _, known := n.why[key]; !known {
		n.why[key] = n.whyApart(i, j)
	}
	return n.why[key]
}

// whyApart says why kernels i and j are two.
func (n *neighbours) whyApart(i, j int) blocked {
	f := n.Fusion
	union := append(slices.Clone(n.Groups[i]), n.Groups[j]...)
	together, err := f.legal(union, rules[f.Level])
	switch {
	case err == nil:
	case together.illegal != nil:
		return blocked{BlockedIllegal, err.Error()}
	default:
		return blocked{BlockedByLevel, err.Error()}
	}
	if between, before, after := n.between(union); between != nil {
		return blocked{BlockedByOrder, fmt.Sprintf("%s has to run in between: it needs %s, and %s needs it", between.Name, before.Name, after.Name)}
	}
	more := together.cost - f.cost(n.Kernels[i]) - f.cost(n.Kernels[j])
	if more > 0 {
		why := fmt.Sprintf("one kernel would cost %s more", duration(nanoseconds(more)))
		if together.cuts > 1 && inLoops(&f.Machine) {
			why += fmt.Sprintf(": with %d grid-wide prefixes, one after the other, it would run on one core", together.cuts)
		}
		return blocked{BlockedByCost, why}
	}
	saves := fmt.Sprintf("allowed, and would save %s", duration(nanoseconds(-more)))
	if _, isLevel := rules[f.Level]; isLevel {
		return blocked{BlockedByPlan, saves + ", but the level places one stage after the other where it costs least, and never moves it"}
	}
	if f.Level == LevelAuto {
		return blocked{BlockedByPlan, saves + ", but the search did not look at it: the pipeline has too many stages to compare all plans"}
	}
	return blocked{BlockedByPlan, saves + ", but the plan parts them"}
}

// between finds a stage that must run after one stage of union and before another.
func (n *neighbours) between(union []*Stage) (stage, before, after *Stage) {
	g := n.Fusion.Graph
	for _, s := range g.Stages {
		if _, runs := n.where[s]; !runs || slices.Contains(union, s) {
			continue
		}
		before, after = nil, nil
		for _, t := range union {
			if before == nil && g.Needs(s, t) {
				before = t
			}
			if g.Needs(t, s) {
				after = t
			}
		}
		if before != nil && after != nil {
			return s, before, after
		}
	}
	return nil, nil, nil
}
