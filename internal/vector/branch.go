package vector

import (
	"maps"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// onlyIf links what v alone needs to run only where a flag holds for all rows, and v is read. It
// returns v with an element for each row of a domain.
func (l *linker) onlyIf(holds func() bool, v tile.ID, domain int) (r register) {
	l.branch(holds, domain, []tile.ID{v}, func(values []register) { r = values[0] })
	return r
}

// branch links steps, which take values with an element for each row of a domain, and what these values
// alone need, to run only where a flag holds for all rows.
func (l *linker) branch(holds func() bool, domain int, list []tile.ID, then func(values []register)) {
	own, seen := l.onlyFor(list), map[tile.ID]bool{}
	var share func(v tile.ID, domain int) // links what others need, too
	share = func(v tile.ID, domain int) {
		switch {
		case !own[v]:
			l.value(v, domain)
		case !seen[v]:
			seen[v] = true
			op := &l.Ops[l.Values[v].Op]
			args := op.Args
			if c, ok := l.chainOf(v); ok {
				args = []tile.ID{c.of}
			}
			for _, arg := range args {
				share(arg, op.Domain)
			}
		}
	}
	for _, v := range list {
		share(v, domain)
	}
	before, known, later := l.steps, maps.Clone(l.known), maps.Clone(l.later)
	l.steps = nil
	values := make([]register, len(list))
	for i, v := range list {
		values[i] = l.full(v, domain)
	}
	then(values)
	steps := l.steps
	l.steps, l.known, l.later = before, known, later // what only the branch has computed waits for readers outside
	l.add(func() {
		if holds() {
			for _, step := range steps {
				step()
			}
		}
	})
}

// chosen links a choice that is the same for all rows, of which the other operand need not be computed.
func (l *linker) chosen(op *tile.Op) (register, bool) {
	if op.Kind != tile.Map || op.Operator != ir.OpSelect || op.Domain == tile.Uniform || l.Values[op.Args[0]].Domain != tile.Uniform {
		return nil, false
	}
	when := l.value(op.Args[0], tile.Uniform).(*vector[uint8])
	operand := func(v tile.ID, flag uint8) register {
		if l.Values[v].Domain == tile.Uniform {
			return l.value(v, tile.Uniform)
		}
		return l.onlyIf(func() bool { return when.rows[0] == flag }, v, op.Domain)
	}
	x := operand(op.Args[1], 1)
	return x.chosen(l, when, operand(op.Args[2], 0), l.count(op.Domain)), true
}

// onlyFor returns the values that nothing but some values needs and no step has computed so far, these
// among them if one operation reads each.
func (l *linker) onlyFor(list []tile.ID) map[tile.ID]bool {
	own, uses, last := map[tile.ID]bool{}, map[tile.ID]int{}, 0
	for _, v := range list {
		uses[v]++
		last = max(last, l.Values[v].Op)
	}
	for i := last; i >= 0; i-- {
		op := &l.Ops[i]
		if op.Kind == tile.Head || len(op.Res) != 1 || uses[op.Res[0]] == 0 || uses[op.Res[0]] != l.left[op.Res[0]] {
			continue
		}
		if _, waits := l.later[op.Res[0]]; !waits {
			continue
		}
		own[op.Res[0]] = true
		for _, arg := range op.Args {
			uses[arg]++
		}
	}
	return own
}
