package tile

import "slices"

// Apart divides a kernel with cuts into two: what is stored of rows of the base that follows from elements of the row or of
// rows at a distance, and everything else. The second is nil if that is all or nothing. Both have all streams. What both need is computed twice,
// so nothing dear is, and no element of any row is looked up.
func (k *Kernel) Apart() (rest, apart *Kernel) {
	if k.CountCuts() == 0 {
		return k, nil
	}
	isApart := make([]bool, len(k.Ops))
	for i := range k.Ops {
		isApart[i] = k.storesOfRow(i)
	}
	for k.leaveShared(isApart) {
	}
	if !slices.Contains(isApart, true) {
		return k, nil
	}
	rest = k.prunedTo(func(i int) bool { return k.Ops[i].HasEffect() && !isApart[i] })
	if rest.CountCuts() == 0 {
		return k, nil
	}
	return rest, k.prunedTo(func(i int) bool { return isApart[i] })
}

// storesOfRow reports whether an operation stores, for each row of the base, what follows from its elements.
func (k *Kernel) storesOfRow(i int) bool {
	op := &k.Ops[i]
	if op.Kind != Store || op.Epilogue || op.Domain != 0 || len(op.Args) != 1 {
		return false
	}
	for j, isNeeded := range k.NeededBy(func(j int) bool { return j == i }) {
		if needed := &k.Ops[j]; isNeeded && j != i && !needed.IsMap() && !needed.IsLoad() && needed.Kind != Shift && !needed.IsRowNumber() && !needed.IsKnownBefore() {
			return false
		}
	}
	return true
}

// leaveShared takes a store back that shares something dear with the rest, and reports whether there was one.
func (k *Kernel) leaveShared(isApart []bool) bool {
	ofRest := k.NeededBy(func(i int) bool { return k.Ops[i].HasEffect() && !isApart[i] })
	for i := range k.Ops {
		if !isApart[i] {
			continue
		}
		for j, isNeeded := range k.NeededBy(func(j int) bool { return j == i }) {
			if isNeeded && ofRest[j] && (k.Ops[j].IsDear() || k.Ops[j].LoadsAt()) {
				isApart[i] = false
				return true
			}
		}
	}
	return false
}
