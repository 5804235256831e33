package simt

import (
	"fmt"

	"github.com/kgen-go/kgen/ir/loop"
)

// localArray returns local memory with an element per work-item, and those that
// groupScan needs: the slot-th of its kind. Every user leaves it behind a barrier.
func (e *emission) localArray(key stateKey, slot int) *loop.Var {
	kind := e.kind(key)
	name := fmt.Sprintf("shared_%v_%d", kind, slot)
	if e.local[name] == nil {
		e.local[name] = &loop.Var{Name: name, T: loop.ArrayOf(e.workgroup+2*rakes(e.workgroup)+1, loop.ScalarOf(kind)).In(loop.Local)}
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

// rakes returns how many work-items of a group fold stretches of the others.
func rakes(workgroup int) int {
	n := 1
	for n*n < workgroup {
		n *= 2
	}
	return n
}

// groupScan folds a state of each work-item over the group, in order: before
// is the fold of the work-items before this one, total that of all.
//
// Some work-items, about as many as the square root of the group, each fold a
// stretch of states one by one; one folds those folds; and each adds the two
// parts up. That takes four barriers, whatever the width of the state.
func (e *emission) groupScan(ops []int, mine []loop.Expr) (before, total []loop.Expr) {
	shared := e.shared(ops)
	n := rakes(e.workgroup)
	length := e.workgroup / n
	// A place is left free behind each stretch, so that banks do not collide;
	// the folds of the stretches and that of all lie behind.
	place := func(lane loop.Expr) loop.Expr { return loop.Add(lane, loop.Div(lane, loop.Int(int64(length)))) }
	folds := int64(e.workgroup + n)
	load := func(at loop.Expr) (list []loop.Expr) {
		for j := range shared {
			list = append(list, e.b.Let("state", loop.At(shared[j], at)))
		}
		return list
	}
	store := func(at loop.Expr, state []loop.Expr) {
		for j := range shared {
			e.b.Store(shared[j], at, state[j])
		}
	}
	// rake replaces states by the folds of those before, and returns that of all.
	rake := func(count int, at func(i loop.Expr) loop.Expr) []*loop.Var {
		fold := e.states(ops, func(_ int, key stateKey) loop.Expr { return e.identity(key) })
		e.b.For("i", loop.Int(0), loop.Int(int64(count)), func(i *loop.Var) {
			place := e.b.Let("place", at(i))
			state := load(place)
			store(place, exprsOf(fold))
			e.assignAll(fold, e.combineAll(ops, exprsOf(fold), state))
		})
		return fold
	}
	store(e.b.Let("place", place(e.lane)), mine)
	e.b.Barrier(loop.GroupScope)
	e.b.If(loop.Lt(e.lane, loop.Int(int64(n))), func() {
		start := e.b.Let("start", loop.Mul(e.lane, loop.Int(int64(length+1))))
		fold := rake(length, func(i loop.Expr) loop.Expr { return loop.Add(start, i) })
		store(loop.Add(loop.Int(folds), e.lane), exprsOf(fold))
	}, nil)
	e.b.Barrier(loop.GroupScope)
	e.b.If(loop.Eq(e.lane, loop.Int(0)), func() {
		fold := rake(n, func(i loop.Expr) loop.Expr { return loop.Add(loop.Int(folds), i) })
		store(loop.Int(folds+int64(n)), exprsOf(fold))
	}, nil)
	e.b.Barrier(loop.GroupScope)
	stretch := e.b.Let("stretch", loop.Div(e.lane, loop.Int(int64(length))))
	before = e.combineAll(ops, load(loop.Add(loop.Int(folds), stretch)), load(place(e.lane)))
	total = load(loop.Int(folds + int64(n)))
	e.b.Barrier(loop.GroupScope)
	return before, total
}
