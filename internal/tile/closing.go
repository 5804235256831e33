package tile

import "slices"

// Closing returns the domain of segments of the base that the kernel's cuts belong to, all of
// them, or 0: then rows behind a head need nothing of those before it but how many results
// there are. What a segment leaves behind, masks over segments among it, follows from its own rows. So a
// block of rows can begin at its first head, and only what is stored behind it moves when the
// earlier blocks are known; the rows before that head continue a segment, which they close.
func (k *Kernel) Closing() int {
	segments := 0
	for d, domain := range k.Domains {
		switch {
		case d == 0 || domain.Kind != Close && segments > 0 && k.Inside(d, segments):
		case domain.Kind == Close && domain.Parent == 0 && domain.Counter != 0 && segments == 0:
			segments = d
		case domain.Kind == Compact && domain.Parent == 0 && !k.hasEffects(d):
		default:
			return 0
		}
	}
	if segments == 0 || !k.isOfNeighbours(k.Domains[segments].Guard) {
		return 0
	}
	c := closing{k, segments, make([]bool, len(k.Values))}
	for i := range k.Ops {
		if !k.Ops[i].Epilogue && !c.allows(i) {
			return 0
		}
	}
	return segments
}

// hasEffects reports whether rows of domain d, or of those derived from it, do more than to be reduced.
func (k *Kernel) hasEffects(d int) bool {
	return slices.ContainsFunc(k.Ops, func(op Op) bool {
		return !op.Epilogue && op.Domain != Uniform && k.Inside(op.Domain, d) && (op.HasEffect() || op.Cuts())
	})
}

// isOfNeighbours reports whether v, a value of the base, follows from rows of it at fixed distances.
func (k *Kernel) isOfNeighbours(v ID) bool {
	value := k.Values[v]
	if value.Domain == Uniform {
		return true
	}
	op := &k.Ops[value.Op]
	if value.Domain != 0 || op.HasEffect() || op.IsRunning() || op.Seeks() || op.Nests() || op.Asks()&^Neighbours != 0 {
		return false
	}
	return !slices.ContainsFunc(op.Args, func(arg ID) bool { return !k.isOfNeighbours(arg) })
}

// Asks returns the demands of the operation.
func (op *Op) Asks() Demands {
	asks := op.Traits().Asks
	if op.Kind == Enter && op.AnyOrder {
		asks &^= InOrder
	}
	return asks
}

// closing goes through the operations of a kernel of segments.
type closing struct {
	*Kernel
	segments int
	earlier  []bool // per value: whether rows before the segment decide it
}

// allows reports whether operation i needs no more of the rows before a segment than Closing says.
func (c *closing) allows(i int) bool {
	op := &c.Ops[i]
	inside := op.Domain > 0 && c.Inside(op.Domain, c.segments)
	isEarlier := func(v ID) bool { return c.earlier[v] }
	for d := op.Domain; d > 0; d = c.Domains[d].Parent {
		if c.earlier[c.Domains[d].Guard] {
			return false
		}
	}
	switch {
	case op.Does(Writes):
		if !inside || len(op.Args) != 2 || op.Args[1] != c.Domains[op.Domain].Position || c.Domains[op.Domain].Counter == 0 {
			return false
		}
		return !c.earlier[op.Args[0]] || c.IsPrefixOf(op.Args[0], op.Domain)
	case op.HasEffect(), op.IsChunkwise(), op.Counts(), op.Nests(), op.Asks()&(Expansion|InOrder|Tables) != 0:
		return false
	case op.IsReduction():
		return !slices.ContainsFunc(op.Args, isEarlier)
	case op.Cuts() && slices.ContainsFunc(op.Args, isEarlier):
		return false
	case op.Cuts() && inside && op.Monoid.Kind == Fold:
		c.earlier[op.Res[0]] = true
		return true
	case op.Cuts() && op.Domain == 0 && op.Monoid.Kind == Fold:
		c.earlier[op.Res[0]] = true
		return slices.Contains(op.Res, c.Domains[c.segments].Counter)
	case op.Cuts():
		return op.Domain == 0 && op.Exclusive && (op.Segment == c.Domains[c.segments].Guard || c.KeepsLast(op)) && c.usedInside(op.Res)
	case slices.ContainsFunc(op.Args, isEarlier):
		for _, v := range op.Res {
			c.earlier[v] = v != c.Domains[c.segments].Open
		}
	}
	return true
}

// IsPrefixOf reports whether v is the fold of rows of domain d so far, which a fold of earlier rows
// completes.
func (k *Kernel) IsPrefixOf(v ID, d int) bool {
	op := &k.Ops[k.Values[v].Op]
	return op.Cuts() && op.Domain == d && op.Monoid.Kind == Fold && !k.Numbers(k.Values[v].Op)
}

// usedInside reports whether only rows of the segments use values.
func (c *closing) usedInside(values []ID) bool {
	for i := range c.Ops {
		op := &c.Ops[i]
		if !op.Epilogue && !(op.Domain > 0 && c.Inside(op.Domain, c.segments)) && slices.ContainsFunc(op.Args, func(arg ID) bool { return slices.Contains(values, arg) && !c.sinks(i) }) {
			return false
		}
	}
	return true
}

// sinks reports whether operation i is pure and its results are used by rows of the segments only.
func (c *closing) sinks(i int) bool { return c.Ops[i].IsPure() && c.usedInside(c.Ops[i].Res) }
