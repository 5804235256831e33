package fuse

import "slices"

// joinKernels joins two kernels of the plan as long as that saves, each time the two that
// save most. A search over stages in one order never finds such pairs if the order has a
// third kernel between them that need not run there: of a table, say, which only the second
// one reads.
func (f *Fusion) joinKernels() {
	for {
		best, most := [2]int{}, 0.0
		for j := range f.Groups {
			for i := range j {
				if !f.share(f.Groups[i], f.Groups[j]) {
					continue
				}
				t := f.try(slices.Concat(f.Groups[i], f.Groups[j]))
				if saved := f.try(f.Groups[i]).cost + f.try(f.Groups[j]).cost - t.cost; t.illegal == nil && saved > most && f.canJoin(i, j) {
					best, most = [2]int{i, j}, saved
				}
			}
		}
		if most == 0 {
			return
		}
		f.join(best[0], best[1])
	}
}

// share reports whether two kernels have a value in common: one reads what the other
// writes, or both read it.
func (f *Fusion) share(a, b []*Stage) bool {
	touched := map[*Value]bool{}
	for _, s := range a {
		for _, use := range s.Reads {
			touched[use.Value] = true
		}
	}
	return slices.ContainsFunc(b, func(s *Stage) bool {
		return slices.ContainsFunc(s.Reads, func(use Use) bool {
			return touched[use.Value] || use.Value.Writer != nil && slices.Contains(a, use.Value.Writer)
		})
	})
}

// canJoin reports whether no kernel between i and j has to run after i and before j.
func (f *Fusion) canJoin(i, j int) bool {
	after := [][]*Stage{f.Groups[i]}
	for _, group := range f.Groups[i+1 : j] {
		if f.follows(group, after) {
			after = append(after, group)
		}
	}
	return !f.follows(f.Groups[j], after[1:])
}

// follows reports whether group needs a stage of earlier ones.
func (f *Fusion) follows(group []*Stage, earlier [][]*Stage) bool {
	return slices.ContainsFunc(earlier, func(e []*Stage) bool { return f.Graph.needsAny(group, e) })
}

// join makes kernels i and j one, which runs after those before j that it needs, and before
// those after i that need it.
func (f *Fusion) join(i, j int) {
	joined := inOrder(slices.Concat(f.Groups[i], f.Groups[j]))
	before, after := [][]*Stage{}, [][]*Stage{f.Groups[i]}
	for _, group := range f.Groups[i+1 : j] {
		if f.follows(group, after) {
			after = append(after, group)
		} else {
			before = append(before, group)
		}
	}
	after[0] = joined
	f.Groups = slices.Concat(f.Groups[:i], before, after, f.Groups[j+1:])
}
