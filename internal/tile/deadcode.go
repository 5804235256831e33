package tile

import "slices"

// Pruned returns the kernel without the operations, values and derived domains
// that nothing needs; numbers of values and domains are new.
func (k *Kernel) Pruned() *Kernel {
	return k.prunedTo(func(i int) bool { return k.Ops[i].HasEffect() })
}

// prunedTo returns the kernel with nothing but what some operations need.
func (k *Kernel) prunedTo(isRoot func(i int) bool) *Kernel {
	keep := k.NeededBy(isRoot)
	out := *k
	out.Values, out.Ops, out.Domains = k.Values[:1:1], nil, nil
	n := renumbering{value: make([]ID, len(k.Values)), domain: make([]int, len(k.Domains))}
	for d, isBusy := range k.busy(keep) {
		if isBusy {
			n.domain[d] = len(out.Domains)
			out.Domains = append(out.Domains, k.Domains[d])
		}
	}
	for v := 1; v < len(k.Values); v++ {
		if keep[k.Values[v].Op] {
			n.value[v] = ID(len(out.Values))
			out.Values = append(out.Values, k.Values[v])
		}
	}
	for i, op := range k.Ops {
		if keep[i] {
			n.op(&op)
			for _, v := range op.Res {
				out.Values[v].Op = len(out.Ops)
			}
			out.Ops = append(out.Ops, op)
		}
	}
	for v := range out.Values[1:] {
		out.Values[v+1].Domain = n.number(out.Values[v+1].Domain)
	}
	for i := range out.Domains {
		d := &out.Domains[i]
		d.Parent, d.Guard, d.Counter = n.domain[d.Parent], n.value[d.Guard], n.value[d.Counter]
		d.Open, d.Position = n.value[d.Open], n.value[d.Position]
	}
	return &out
}

// Unnumbered returns the kernel without the scans that only number rows whose checks fail.
// These checks have no row.
func (k *Kernel) Unnumbered() *Kernel {
	out := *k
	out.Ops = slices.Clone(k.Ops)
	var checks []int
	for i := range out.Ops {
		if op := &out.Ops[i]; op.Kind == Check && op.Domain > 0 {
			op.Args = op.Args[:1:1]
			checks = append(checks, i)
		}
	}
	least := out.Pruned().countScans()
	if least == k.countScans() {
		return k
	}
	for _, i := range checks { // whose rows have numbers all the same
		args := out.Ops[i].Args
		if out.Ops[i].Args = k.Ops[i].Args; out.Pruned().countScans() > least {
			out.Ops[i].Args = args
		}
	}
	return out.Pruned()
}

// countScans counts the operations that need the rows before.
func (k *Kernel) countScans() (n int) {
	for i := range k.Ops {
		if k.Ops[i].Cuts() || k.Ops[i].Counts() {
			n++
		}
	}
	return n
}

// busy returns the domains for whose rows, or for those of a domain derived
// from them, a kept operation runs.
func (k *Kernel) busy(keep []bool) []bool {
	busy := make([]bool, len(k.Domains))
	busy[0] = true
	for i := range k.Ops {
		if keep[i] {
			for d := k.Ops[i].Domain; d > 0; d = k.Domains[d].Parent {
				busy[d] = true
			}
		}
	}
	return busy
}

// renumbering has the new numbers of values and domains after some are removed.
type renumbering struct {
	value  []ID
	domain []int
}

func (n renumbering) number(d int) int {
	if d == Uniform {
		return Uniform
	}
	return n.domain[d]
}

func (n renumbering) values(list []ID) []ID {
	var renamed []ID
	for _, v := range list {
		renamed = append(renamed, n.value[v])
	}
	return renamed
}

func (n renumbering) op(op *Op) {
	op.Domain, op.Args, op.Res, op.Segment = n.number(op.Domain), n.values(op.Args), n.values(op.Res), n.value[op.Segment]
}
