package simt

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

// A collective is how the work-items of a work-group fold states together: by
// shuffles of subgroups if the device has these and work-groups consist of them,
// by local memory otherwise.
type collective interface {
	// inRegisters reports whether scans run in registers, with a barrier at most.
	inRegisters() bool
	// elements returns how many states sharedState holds.
	elements(k *kernel) int
	// scan is blockScan.
	scan(e *function, st *state, mine []loop.Expr, during duringScan) (before, total []loop.Expr)
	// fold folds a state of each work-item over the work-group, in order, and calls body for the first work-item,
	// which knows the fold. A barrier has to come before the shared state is used again.
	fold(e *function, st *state, mine []loop.Expr, body func(total []loop.Expr))
	// lookBack walks back over the tiles before this one.
	lookBack(s *lookback, e *tileBody, cut int, total []loop.Expr) []loop.Expr
}

// collectiveOf returns the collective of work-groups.
func (s shape) collectiveOf() collective {
	if s.subgroup.divides(s.workgroup) {
		return bySubgroups{}
	}
	return localMemory{}
}

// localMemory is the collective that every device has.
type localMemory struct{}

func (localMemory) inRegisters() bool { return false }

func (localMemory) elements(k *kernel) int { return k.workgroup + 3*stretchesOf(k.workgroup) }

// barrier waits for the work-items that share a tile.
func (e *function) barrier() { e.b.Barrier(e.residence.scope()) }

// sharedState returns local memory for a state: per slot an element per
// work-item, and those that blockScan needs.
func (e *function) sharedState(st *state) []*loop.Var {
	return e.localState("shared", st, e.collective.elements(e.kernel))
}

// localArray returns local memory for length values.
func (e *function) localArray(name string, k ir.Kind, length int) *loop.Var {
	if e.local[name] == nil {
		e.local[name] = &loop.Var{Name: name, T: loop.ArrayOf(length, loop.ScalarOf(k)).In(loop.Local)}
	}
	return e.local[name]
}

// localState returns local memory for length states.
func (e *function) localState(name string, st *state, length int) (list []*loop.Var) {
	count := map[string]int{}
	for _, s := range st.slots {
		kind := s.kind.String()
		name := fmt.Sprintf("%s_%s_%d", name, kind, count[kind])
		count[kind]++
		list = append(list, e.localArray(name, s.kind, length))
	}
	return list
}

// stretchesOf returns into how many stretches a raking scan of states divides them.
func stretchesOf(states int) int {
	n := 1
	for n*n < states {
		n *= 2
	}
	return n
}

// loadState and storeState are of an element of a shared state.
func (e *function) loadState(shared []*loop.Var, at loop.Expr) (list []loop.Expr) {
	for _, memory := range shared {
		list = append(list, e.b.Let("state", loop.At(memory, at)))
	}
	return list
}

func (e *function) storeState(shared []*loop.Var, at loop.Expr, values []loop.Expr) {
	for j, memory := range shared {
		e.b.Store(memory, at, values[j])
	}
}

// duringScan is what a work-group does in the course of a scan.
type duringScan struct {
	meanwhile func()                  // all work-items, between the first barrier and the second; only by local memory
	publish   func(total []loop.Expr) // one work-item, as soon as it knows the total
}

// blockScan folds a state of each work-item over the work-group, in order: before
// is the fold of the work-items before this one, total that of all. A barrier has
// to come before the shared state is used again.
func (e *function) blockScan(st *state, mine []loop.Expr, during duringScan) (before, total []loop.Expr) {
	if len(st.slots) == 0 {
		return nil, nil
	}
	return e.collective.scan(e, st, mine, during)
}

// scan is a raking scan. About the square root of the work-group's work-items each
// fold a stretch of states one by one, then the folds of the stretches before
// their own. Every work-item combines the two. That takes three barriers, whatever
// the width of the state. Before the last of them, the last work-item may publish
// the total.
func (localMemory) scan(e *function, st *state, mine []loop.Expr, during duringScan) (before, total []loop.Expr) {
	shared := e.sharedState(st)
	n := stretchesOf(e.workgroup)
	length := e.workgroup / n
	// A place is left free behind each stretch to avoid bank conflicts. Behind all
	// stretches lie their folds, then the folds of all stretches before each.
	place := func(lane loop.Expr) loop.Expr { return loop.Add(lane, loop.Div(lane, loop.Int(int64(length)))) }
	folds := int64(e.workgroup + n)
	earlier := folds + int64(n)
	e.storeState(shared, e.b.Let("place", place(e.localID)), mine)
	e.b.Barrier(loop.WorkgroupScope)
	if during.meanwhile != nil {
		during.meanwhile()
	}
	e.b.If(loop.Lt(e.localID, loop.Int(int64(n))), func() {
		start := e.b.Let("start", loop.Mul(e.localID, loop.Int(int64(length+1))))
		fold := e.declare(st, st.identities())
		e.b.For("i", loop.Int(0), loop.Int(int64(length)), func(i *loop.Var) {
			at := e.b.Let("at", loop.Add(start, i))
			theirs := e.loadState(shared, at)
			e.storeState(shared, at, exprsOf(fold)) // the fold of the states before it
			e.assignAll(fold, e.combine(st, exprsOf(fold), theirs))
		})
		e.storeState(shared, loop.Add(loop.Int(folds), e.localID), exprsOf(fold))
	}, nil)
	e.b.Barrier(loop.WorkgroupScope)
	foldOf := func(isPart func(stretch *loop.Var) loop.Expr) []loop.Expr {
		fold := e.declare(st, st.identities())
		e.b.For("i", loop.Int(0), loop.Int(int64(n)), func(i *loop.Var) {
			theirs := e.choose(isPart(i), e.loadState(shared, loop.Add(loop.Int(folds), i)), st.identities())
			e.assignAll(fold, e.combine(st, exprsOf(fold), theirs))
		})
		return exprsOf(fold)
	}
	e.b.If(loop.Lt(e.localID, loop.Int(int64(n))), func() {
		isBefore := func(stretch *loop.Var) loop.Expr { return loop.Lt(stretch, e.localID) }
		e.storeState(shared, loop.Add(loop.Int(earlier), e.localID), foldOf(isBefore))
	}, nil)
	if during.publish != nil { // at the same time, if another subgroup does it
		isAny := func(*loop.Var) loop.Expr { return loop.True }
		e.b.If(loop.Eq(e.localID, loop.Int(int64(e.workgroup-1))), func() { during.publish(foldOf(isAny)) }, nil)
	}
	e.b.Barrier(loop.WorkgroupScope)
	stretch := e.b.Let("stretch", loop.Div(e.localID, loop.Int(int64(length))))
	before = e.combine(st, e.loadState(shared, loop.Add(loop.Int(earlier), stretch)), e.loadState(shared, place(e.localID)))
	// Every work-item recomputes this: PoCL 3.1 miscompiles storing it from one work-item in the branch above.
	total = e.combine(st, e.loadState(shared, loop.Int(earlier+int64(n-1))), e.loadState(shared, loop.Int(folds+int64(n-1))))
	return before, total
}

// fold is a scan of which the first work-item takes the total.
func (c localMemory) fold(e *function, st *state, mine []loop.Expr, body func(total []loop.Expr)) {
	_, total := c.scan(e, st, mine, duringScan{})
	e.b.If(loop.Eq(e.localID, loop.Int(0)), func() { body(total) }, nil)
}

// foldBytes bounds the local memory that folds take together.
const foldBytes = 2 << 10

// foldedTogether divides reductions among folds of the work-group. By subgroups some share one: they wait for
// each other's shuffles and barriers as long as one does.
func (k *kernel) foldedTogether(reductions []int) (list [][]int) {
	for _, i := range reductions {
		if last := len(list) - 1; last >= 0 && k.collective.inRegisters() {
			if joint := append(slices.Clone(list[last]), i); k.stateOf(joint).bytes()*k.collective.elements(k) <= foldBytes {
				list[last] = joint
				continue
			}
		}
		list = append(list, []int{i})
	}
	return list
}
