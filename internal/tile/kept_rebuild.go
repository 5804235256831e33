package tile

import (
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// rebuild makes the kernel with the new scan in place of those that it stands for.
func (r *keeping) rebuild() *Kernel {
	k := r.old
	r.Builder = NewBuilder(k.Name, "", "")
	r.numbered = k.asksForNumber(r.segments)
	out := r.Kernel
	out.Chunk, out.Stages, out.Streams, out.Domains = k.Chunk, k.Stages, slices.Clone(k.Streams), slices.Clone(k.Domains)
	for i := range k.Ops {
		if k.Ops[i].HasEffect() {
			r.op(i)
		}
	}
	for i := range out.Domains {
		d := &out.Domains[i]
		if i == 0 || !r.isUsed(i) {
			continue
		}
		d.Guard, d.Open = r.value(d.Guard), r.value(d.Open)
		if i == r.segments && !r.numbered {
			d.Counter, d.Position = 0, 0
			continue
		}
		counter := d.Counter
		d.Counter, d.Position = r.value(d.Counter), r.value(d.Position)
		if counter != 0 && slices.Contains(r.kept, k.Values[counter].Op) {
			d.Counter = 0
		}
	}
	return r.Finish().Pruned()
}

// asksForNumber reports whether anything but the domain itself needs to know how many segments there
// are before one that closes in d.
func (k *Kernel) asksForNumber(d int) bool {
	domain := &k.Domains[d]
	return slices.ContainsFunc(k.Ops, func(op Op) bool {
		isOpen := len(op.Res) == 1 && (op.Res[0] == domain.Open || op.Res[0] == domain.Position)
		return slices.Contains(op.Args, domain.Position) || slices.Contains(op.Args, domain.Counter) && !isOpen
	})
}

// isUsed reports whether operations run for rows of domain d.
func (r *keeping) isUsed(d int) bool {
	return slices.ContainsFunc(r.Kernel.Ops, func(op Op) bool { return op.Domain != Uniform && r.old.Inside(op.Domain, d) })
}

// value returns the new value of v, and writes what it needs.
func (r *keeping) value(v ID) ID {
	if v == 0 {
		return 0
	}
	r.op(r.old.Values[v].Op)
	return r.now[v]
}

// op writes what there is in place of an operation.
func (r *keeping) op(i int) {
	if r.done[i] {
		return
	}
	r.done[i] = true
	k := r.old
	op := k.Ops[i]
	r.Stage, r.Pos = op.Stage, op.Pos
	if open, isScan := r.open[i]; isScan {
		r.scan()
		fields, from := r.fieldsOf(i)
		for j := range fields {
			r.now[op.Res[from+j]] = r.made[open+j]
		}
		return
	}
	if r.filtered != nil && r.filteredOp(i) {
		return
	}
	if !r.numbered && len(op.Res) == 1 && op.Res[0] == k.Domains[r.segments].Open {
		r.scan()
		r.now[op.Res[0]] = r.made[0]
		return
	}
	for _, condition := range k.Conditions(op.Domain) {
		r.value(condition)
	}
	if _, isKept := r.fold[i]; isKept {
		r.scan()
		before := make([]ID, len(op.Res))
		for j, e := range r.closed[i] {
			before[j] = r.Expand(op.Domain, e, r.made, nil)
			if r.closesIn(op.Domain) { // these may be open when the last segment has closed
				before[j] = r.Ended(op.Domain, before[j], r.Expand(op.Domain, r.whole[i][j], r.made, nil))
			}
			r.now[op.Res[j]] = before[j]
		}
		if !op.Exclusive {
			elements := make([]ID, len(op.Args))
			for j, arg := range op.Args {
				elements[j] = r.value(arg)
			}
			for j, e := range op.Monoid.Combine {
				r.now[op.Res[j]] = r.Expand(op.Domain, e, before, elements)
			}
		}
		return
	}
	if scan := k.totalOf(&op); scan >= 0 {
		if _, isKept := r.fold[scan]; isKept {
			r.now[op.Res[0]] = r.total(scan, slices.Index(k.Ops[scan].Res, op.Args[0]))
			return
		}
	}
	args := make([]ID, len(op.Args))
	for j, arg := range op.Args {
		args[j] = r.value(arg)
	}
	r.Stage, r.Pos = op.Stage, op.Pos
	results := op.Res
	op.Args, op.Res, op.Segment = args, nil, r.value(op.Segment)
	for _, v := range results {
		value := k.Values[v]
		id := r.Builder.value(value.Kind, value.Domain, value.Name)
		r.Kernel.Values[id].Likely = value.Likely
		r.now[v] = id
		op.Res = append(op.Res, id)
	}
	r.Kernel.Ops = append(r.Kernel.Ops, op)
}

// closesIn reports whether segments are made of rows of domain d.
func (r *keeping) closesIn(d int) bool {
	k := r.old
	return slices.ContainsFunc(k.Domains[1:], func(domain Domain) bool { return domain.Kind == Close && k.Inside(domain.Parent, d) })
}

// totalOf returns the scan of which an operation has the total, or -1.
func (k *Kernel) totalOf(op *Op) int {
	if op.Kind != Total {
		return -1
	}
	return k.Values[op.Args[0]].Op
}

// scan writes the new scan.
func (r *keeping) scan() {
	if r.made != nil {
		return
	}
	k, m := r.old, r.monoid
	elements := make([]ID, len(m.Fields))
	for f := range elements {
		elements[f] = r.Const(m.Identity[f])
	}
	var head ID
	if r.filtered != nil {
		r.filteredElements(elements)
	} else {
		head = r.value(k.Domains[r.segments].Guard)
		elements[0] = head
	}
	for i := range k.Ops {
		open, isScan := r.open[i]
		if !isScan {
			continue
		}
		front, hasFront := r.front[i]
		fields, from := r.fieldsOf(i)
		for j, f := range fields {
			var x ID
			if j == 0 && r.isFirst(i) {
				x = r.Const(ir.BoolScalar(true)) // any row has one
			} else {
				x = r.value(k.Ops[i].Args[from+j])
			}
			elements[open+j] = x
			if head != 0 {
				x = r.Map(0, ir.OpSelect, f.Kind, "", head, r.Const(m.Identity[front+j]), x)
			}
			if hasFront {
				elements[front+j] = x
			}
		}
	}
	r.made = r.Scan(r.rows, m, true, "", elements...)
}

// total returns the fold of all kept segments, the one among them that is open at the end.
func (r *keeping) total(scan, field int) ID {
	r.scan()
	totals := make([]ID, len(r.made))
	for i, v := range r.made {
		totals[i] = r.Total(v, "")
	}
	return r.Expand(Uniform, r.whole[scan][field], totals, nil)
}
