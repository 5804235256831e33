package simt

import (
	"fmt"

	"github.com/kgen-go/kgen/ir/loop"
)

// localArray returns local memory with an element per work-item: the slot-th
// of its kind. Every user leaves it behind a barrier.
func (e *emission) localArray(key stateKey, slot int) *loop.Var {
	kind := e.kind(key)
	name := fmt.Sprintf("shared_%v_%d", kind, slot)
	if e.local[name] == nil {
		e.local[name] = &loop.Var{Name: name, T: loop.ArrayOf(e.workgroup, loop.ScalarOf(kind)).In(loop.Local)}
	}
	return e.local[name]
}

// shared returns local memory for the state of some operations, an element per
// work-item and field.
func (e *emission) shared(ops []int) (list []*loop.Var) {
	slots := map[string]int{}
	for _, key := range e.fields(ops) {
		kind := e.kind(key).String()
		list = append(list, e.localArray(key, slots[kind]))
		slots[kind]++
	}
	return list
}

// combineAll combines the states of several operations.
func (e *emission) combineAll(ops []int, earlier, later []loop.Expr) (out []loop.Expr) {
	for _, i := range ops {
		n := len(e.Ops[i].Monoid.Fields)
		out = append(out, e.combine(e.Ops[i].Monoid, earlier[:n], later[:n])...)
		earlier, later = earlier[n:], later[n:]
	}
	return out
}

// states declares a variable per field of some operations.
func (e *emission) states(ops []int, initial func(j int, key stateKey) loop.Expr) (list []*loop.Var) {
	for j, key := range e.fields(ops) {
		list = append(list, e.b.Decl(e.Ops[key.op].Monoid.Fields[key.field].Name, initial(j, key)))
	}
	return list
}

func exprsOf(vars []*loop.Var) (list []loop.Expr) {
	for _, v := range vars {
		list = append(list, v)
	}
	return list
}

// assignAll assigns values that have been named before.
func (e *emission) assignAll(vars []*loop.Var, values []loop.Expr) {
	for i, v := range vars {
		e.b.Assign(v, values[i])
	}
}

// groupScan folds a state of each work-item over the group, in order: before
// is the fold of the work-items before this one, total that of all.
//
// It is the scan of Hillis and Steele (1986): log2(workgroup) steps over local
// memory, each adds the state that lies twice as far back as the one before.
func (e *emission) groupScan(ops []int, mine []loop.Expr) (before []*loop.Var, total []loop.Expr) {
	shared := e.shared(ops)
	state := e.states(ops, func(j int, _ stateKey) loop.Expr { return mine[j] })
	identity := func(_ int, key stateKey) loop.Expr { return e.identity(key) }
	store := func() {
		for j, v := range state {
			e.b.Store(shared[j], e.lane, v)
		}
	}
	store()
	e.b.Barrier(loop.GroupScope)
	distance := e.b.Decl("distance", loop.Int(1))
	e.b.While(loop.Lt(distance, loop.Int(int64(e.workgroup))), func() {
		left := e.states(ops, identity)
		e.b.If(loop.Ge(e.lane, distance), func() {
			for j := range left {
				e.b.Assign(left[j], loop.At(shared[j], loop.Sub(e.lane, distance)))
			}
		}, nil)
		e.b.Barrier(loop.GroupScope)
		e.assignAll(state, e.combineAll(ops, exprsOf(left), exprsOf(state)))
		store()
		e.b.Barrier(loop.GroupScope)
		e.b.Assign(distance, loop.Add(distance, distance))
	})
	before = e.states(ops, identity)
	e.b.If(loop.Gt(e.lane, loop.Int(0)), func() {
		for j := range before {
			e.b.Assign(before[j], loop.At(shared[j], loop.Sub(e.lane, loop.Int(1))))
		}
	}, nil)
	for j := range shared {
		total = append(total, e.b.Let("total", loop.At(shared[j], loop.Int(int64(e.workgroup-1)))))
	}
	e.b.Barrier(loop.GroupScope)
	return before, total
}
