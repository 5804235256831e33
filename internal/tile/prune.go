package tile

// Pruned returns the kernel without the operations, values and derived domains
// that nothing needs; numbers of values and domains are new.
func (k *Kernel) Pruned() *Kernel {
	needed := make([]bool, len(k.Values))
	busy := make([]bool, len(k.Domains)) // rows of the domain, or of one derived from it, do something
	busy[0] = true
	keep := make([]bool, len(k.Ops))
	for changed := true; changed; {
		changed = false
		need := func(v ID) {
			if v != 0 && !needed[v] {
				needed[v], changed = true, true
			}
		}
		for i := len(k.Ops) - 1; i >= 0; i-- {
			op := &k.Ops[i]
			for _, v := range op.Res {
				keep[i] = keep[i] || needed[v]
			}
			if !keep[i] && !op.HasEffect() {
				continue
			}
			keep[i] = true
			for _, v := range op.Args {
				need(v)
			}
			for _, v := range op.Res { // an operation defines all of its results
				needed[v] = true
			}
			for d := op.Domain; d > 0; d = k.Domains[d].Parent {
				busy[d] = true
				need(k.Domains[d].Guard)
				need(k.Domains[d].Open)
				if k.Domains[d].Kind == Close {
					need(k.Domains[d].Position)
				}
			}
		}
	}
	out := *k
	out.Values, out.Ops, out.Domains = k.Values[:1:1], nil, nil
	domain := make([]int, len(k.Domains))
	for d := range k.Domains {
		if busy[d] {
			domain[d] = len(out.Domains)
			out.Domains = append(out.Domains, k.Domains[d])
		}
	}
	value := make([]ID, len(k.Values))
	for v := 1; v < len(k.Values); v++ {
		if needed[v] {
			value[v] = ID(len(out.Values))
			out.Values = append(out.Values, k.Values[v])
		}
	}
	renamed := func(list []ID) []ID {
		var names []ID
		for _, v := range list {
			names = append(names, value[v])
		}
		return names
	}
	number := func(d int) int {
		if d == Uniform {
			return Uniform
		}
		return domain[d]
	}
	for i := range k.Ops {
		if !keep[i] {
			continue
		}
		op := k.Ops[i]
		op.Domain, op.Args, op.Res, op.Segment = number(op.Domain), renamed(op.Args), renamed(op.Res), value[op.Segment]
		for _, v := range op.Res {
			out.Values[v].Op = len(out.Ops)
		}
		out.Ops = append(out.Ops, op)
	}
	for v := 1; v < len(out.Values); v++ {
		out.Values[v].Domain = number(out.Values[v].Domain)
	}
	for d := range out.Domains {
		this := &out.Domains[d]
		this.Parent, this.Guard, this.Counter = domain[this.Parent], value[this.Guard], value[this.Counter]
		this.Open, this.Position = value[this.Open], value[this.Position]
	}
	return &out
}
