package tile

// reduceTotals turns scans of which only the total is used into reductions: no
// row waits for the rows before it, so there is nothing to cut.
func (k *Kernel) reduceTotals() {
	used := make([]bool, len(k.Values)) // by a row
	for _, op := range k.Ops {
		if op.Kind != Total {
			for _, arg := range op.Args {
				used[arg] = true
			}
		}
	}
	for _, d := range k.Domains {
		used[d.Guard], used[d.Open] = true, true
		if d.Kind == Close {
			used[d.Position] = true
		}
	}
	reduced := map[ID]bool{}
	for i := range k.Ops {
		op := &k.Ops[i]
		if !op.Cuts() || containsUsed(op.Res, used) {
			continue
		}
		op.Kind, op.Exclusive = Reduce, false
		for _, result := range op.Res {
			k.Values[result].Domain = Uniform
			reduced[result] = true
		}
	}
	for d := range k.Domains {
		if reduced[k.Domains[d].Position] {
			k.Domains[d].Counter, k.Domains[d].Position = 0, 0
		}
	}
}

func containsUsed(list []ID, used []bool) bool {
	for _, v := range list {
		if used[v] {
			return true
		}
	}
	return false
}
