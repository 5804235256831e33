package tile

import "slices"

// Relocates reports whether the kernel's only prefix decides where results are stored, and
// never their values: they are the selected rows of a domain. Then rows can be computed
// without it, and moved to their places.
func (a *Analysis) Relocates() bool {
	k := a.Kernel
	if len(a.Cuts) != 1 {
		return false
	}
	phase := func(v ID) int { return a.Phase[k.Values[v].Op] }
	stores := false
	for i := range k.Ops {
		op := &k.Ops[i]
		if op.Epilogue || op.Domain == Uniform {
			continue
		}
		switch {
		case op.Does(Writes):
			if len(op.Args) == 1 || k.Domains[op.Domain].Kind != Compact || op.Args[1] != k.Domains[op.Domain].Position {
				return false
			}
			if k.Domains[op.Domain].Counter == 0 { // how many rows a block stores is the state of a scan
				return false
			}
			if value := k.Values[op.Args[0]]; value.Domain != Uniform && (phase(op.Args[0]) > 0 || k.Ops[value.Op].Cuts()) {
				return false
			}
			stores = true
		case op.Cuts():
			if op.Monoid.Kind != Fold || !k.Numbers(i) {
				return false
			}
		case op.HasEffect():
			return false
		}
	}
	return stores
}

// Numbers reports whether a derived domain's rows are numbered by a scan.
func (k *Kernel) Numbers(scan int) bool {
	return slices.ContainsFunc(k.Domains, func(d Domain) bool { return d.Counter != 0 && k.Values[d.Counter].Op == scan })
}

// Branches reports whether a row of the compaction d has to be selected before anything is done
// for it: it is dear, or a state goes from one selected row to the next, which rows that are
// left out must not change. Rows that are only stored may be stored over each other until one is selected, what is
// added up may be nothing, and the places of selected rows may be listed before these go on.
func (k *Kernel) Branches(d int) bool {
	return slices.ContainsFunc(k.Ops, func(op Op) bool {
		return (op.Cuts() || op.IsDear() || op.Seeks() || op.LoadsAt()) && !op.Epilogue && op.Domain != Uniform && k.Inside(op.Domain, d) &&
			!slices.ContainsFunc(k.Domains, func(o Domain) bool { return o.Kind == Compact && o.Counter != 0 && slices.Contains(op.Res, o.Counter) })
	})
}

// Lists reports whether the selected rows of the compaction d may be listed for a block of rows, and visited when all else
// is done with the block: of the values of all rows they need what can be computed once more.
func (k *Kernel) Lists(d int) bool {
	if k.Domains[d].Kind != Compact || k.Domains[d].Parent != 0 {
		return false
	}
	for _, other := range k.Domains[1:] {
		if other.Parent == 0 && other.Kind != Compact { // rows of segments have forms of their own
			return false
		}
	}
	domainOf := func(op int) int { return k.Ops[op].Domain }
	tested := k.ofAllRows(domainOf, k.Domains[d].Guard)
	for i := range k.NeededInside(d, domainOf) {
		op := &k.Ops[i]
		if !op.IsMap() && !op.LoadsElement() && !op.IsRowNumber() || op.IsDear() && tested[i] {
			return false
		}
	}
	return true
}

// NeededInside returns the operations on all rows from which follows what is done with the rows of d, where domainOf says
// which rows an operation is for.
func (k *Kernel) NeededInside(d int, domainOf func(op int) int) map[int]bool {
	var roots []ID
	for i := range k.Ops {
		if op := &k.Ops[i]; !op.Epilogue && domainOf(i) != Uniform && k.Inside(domainOf(i), d) {
			roots = append(roots, op.Args...)
		}
	}
	for i, domain := range k.Domains {
		if i != d && i > 0 && k.Inside(i, d) {
			roots = append(roots, domain.Guard, domain.Open)
		}
	}
	return k.ofAllRows(domainOf, roots...)
}

// ofAllRows returns the operations on all rows from which values follow.
func (k *Kernel) ofAllRows(domainOf func(op int) int, values ...ID) map[int]bool {
	found := map[int]bool{}
	var add func(values []ID)
	add = func(values []ID) {
		for _, v := range values {
			if i := k.Values[v].Op; v != 0 && domainOf(i) == 0 && !found[i] {
				found[i] = true
				add(k.Ops[i].Args)
			}
		}
	}
	add(values)
	return found
}
