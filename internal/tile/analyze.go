package tile

import "slices"

// Analysis is a kernel cut at its grid-wide prefixes.
type Analysis struct {
	Kernel *Kernel
	Phase  []int // per operation of the row part: how many cuts it comes after
	Cuts   []Prefix
	Staged []Staged
}

// Prefix is one cut: everything that must be folded over all earlier rows
// before the next phase can run.
type Prefix struct {
	Scans  []int       // the Scan operations, as indices into Kernel.Ops
	Monoid *Monoid     // their product
	Live   []LiveValue // values known before the cut that are needed after it, the elements of its scans among them
}

// LiveValue is a value that is alive across a cut.
type LiveValue struct {
	Value ID
	How   LiveKind
}

// LiveKind says how a value is obtained again after a cut. A scheme may prefer a
// more expensive way.
type LiveKind uint8

// The ways, from the cheapest.
const (
	Ring      LiveKind = iota // a loaded element: the staged tile still has it
	Recompute                 // pure arithmetic on loaded elements
	Register                  // depends on an earlier cut or on the rest of its chunk: must be kept
)

var liveNames = [...]string{"ring", "recompute", "register"}

func (c LiveKind) String() string { return liveNames[c] }

// Analyze finds the phases and cuts of k. A Scan belongs to the phase of its
// elements, in which its tile is folded. Its results belong to the next phase,
// which adds the elements again, row by row, to the fold of all earlier tiles.
func Analyze(k *Kernel) *Analysis {
	phase, scans := k.Phases((*Op).Cuts)
	a := &Analysis{Kernel: k, Phase: phase, Cuts: make([]Prefix, len(scans)), Staged: k.staged()}
	for c := range a.Cuts {
		cut := &a.Cuts[c]
		cut.Scans = scans[c]
		parts := make([]*Monoid, len(cut.Scans))
		for i, scan := range cut.Scans {
			parts[i] = k.Ops[scan].Monoid
		}
		cut.Monoid = NewProduct(parts...)
		cut.Live = a.live(c)
	}
	return a
}

// CountCuts returns how many cuts Analyze finds where ranks are scans.
func (k *Kernel) CountCuts() int { return len(k.Scans()) }

// Scans lists the operations of each of these cuts.
func (k *Kernel) Scans() [][]int {
	_, scans := k.Phases(func(op *Op) bool { return op.Cuts() || op.Counts() })
	return scans
}

// InSegments reports whether domain d is one of segments, or made of such.
func (k *Kernel) InSegments(d int) bool {
	for ; d > 0; d = k.Domains[d].Parent {
		if k.Domains[d].Kind == Close {
			return true
		}
	}
	return false
}

// SegmentLevels returns how many kinds of segments lie in each other at most: those of rows are one.
func (k *Kernel) SegmentLevels() (most int) {
	levels := make([]int, len(k.Domains))
	for d := 1; d < len(levels); d++ {
		if levels[d] = levels[k.Domains[d].Parent]; k.Domains[d].Kind == Close {
			levels[d]++
		}
		most = max(most, levels[d])
	}
	return most
}

// HasEnded reports whether the last segment of those that the rows of an operation are made of has closed where,
// after all rows, the last one of domain end does.
func (k *Kernel) HasEnded(op *Op, end int) bool {
	for d := op.Domain; d > 0; d = k.Domains[d].Parent {
		if k.Domains[d].Kind == Close {
			return end != d && k.Inside(end, d)
		}
	}
	return false
}

// Phases returns the phase of each operation of the row part: how many cuts it
// comes after; and the operations of each cut, for which isCut holds.
func (k *Kernel) Phases(isCut func(*Op) bool) (phase []int, cuts [][]int) {
	phase = make([]int, len(k.Ops))
	ofValue := make([]int, len(k.Values))
	for i := range k.Ops {
		op := &k.Ops[i]
		if op.Epilogue {
			continue
		}
		at := 0
		for _, arg := range op.Args {
			at = max(at, ofValue[arg])
		}
		for _, condition := range k.Conditions(op.Domain) {
			at = max(at, ofValue[condition])
		}
		phase[i] = at
		result := at
		if isCut(op) {
			result++
			for len(cuts) <= at {
				cuts = append(cuts, nil)
			}
			cuts[at] = append(cuts[at], i)
		}
		for _, v := range op.Res {
			ofValue[v] = result
		}
	}
	return phase, cuts
}

// Conditions lists the values that decide whether a row of the base is a row of
// domain d, those of the innermost domain first.
func (k *Kernel) Conditions(d int) []ID {
	var list []ID
	for ; d > 0; d = k.Domains[d].Parent {
		list = append(list, k.Domains[d].Guard)
		if k.Domains[d].Kind == Close {
			list = append(list, k.Domains[d].Open)
		}
	}
	return list
}

// live lists the row values known before cut c that something after it uses.
func (a *Analysis) live(c int) []LiveValue {
	k := a.Kernel
	kinds := k.liveKinds()
	var list []LiveValue
	seen := make([]bool, len(k.Values))
	use := func(v ID) {
		def := k.Values[v].Op
		if seen[v] || k.Values[v].Domain == Uniform || a.Phase[def] > c || k.Ops[def].Cuts() && a.Phase[def] == c {
			return
		}
		seen[v] = true
		list = append(list, LiveValue{v, kinds[v]})
	}
	for i := range k.Ops {
		op := &k.Ops[i]
		if op.Epilogue || a.Phase[i] < c || a.Phase[i] == c && !(op.Cuts() && k.usedByRows(op)) {
			continue
		}
		for _, arg := range op.Args {
			use(arg)
		}
		for _, condition := range k.Conditions(op.Domain) {
			use(condition)
		}
	}
	return list
}

// usedByRows reports whether rows use the results of scan, not only operations
// after all rows.
func (k *Kernel) usedByRows(scan *Op) bool {
	for i := range k.Ops {
		if op := &k.Ops[i]; !op.Epilogue && slices.ContainsFunc(op.Args, func(arg ID) bool { return slices.Contains(scan.Res, arg) }) {
			return true
		}
	}
	return slices.ContainsFunc(k.Domains[1:], func(d Domain) bool {
		return slices.Contains(scan.Res, d.Guard) || slices.Contains(scan.Res, d.Open)
	})
}

// liveKinds says, per value, the cheapest way to obtain it a second time.
func (k *Kernel) liveKinds() []LiveKind {
	kinds := make([]LiveKind, len(k.Values))
	for i := range k.Ops {
		op := &k.Ops[i]
		how := op.Traits().Again
		if how == Ring && !op.LoadsElement() {
			how = Recompute
		}
		for _, arg := range op.Args {
			if k.Values[arg].Domain != Uniform && kinds[arg] == Register {
				how = Register
			}
		}
		for _, result := range op.Res {
			kinds[result] = how
		}
	}
	return kinds
}

// Recomputable reports whether v at another base row can be computed afresh:
// it is pure arithmetic on uniform values and element loads over the base.
func (k *Kernel) Recomputable(v ID) bool {
	seen := map[ID]bool{}
	var recomputable func(v ID) bool
	recomputable = func(v ID) bool {
		value := k.Values[v]
		if value.Domain == Uniform || seen[v] {
			return true
		}
		seen[v] = true
		op := &k.Ops[value.Op]
		return op.Traits().Moves && value.Domain == 0 && !slices.ContainsFunc(op.Args, func(arg ID) bool { return !recomputable(arg) })
	}
	return recomputable(v)
}
