package gocpu

import (
	"maps"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

const (
	vectorBytes     = 64 // of the widest values
	vectorsAtOnce   = 4  // of each view: so that no addition waits for the one before, and few branches depend on a mask
	vectorRegisters = 16 // at most, for what reductions combine rows in: half of those that there are
)

// vectors writes a function of vectors: rows as long as they fill vectors, a row a
// lane. What it has no form of is left to the rows one by one.
type vectors struct {
	*body
	lanes   int
	ahead   map[tile.ID]loop.Expr    // uniform values in all lanes, before the rows
	lane    []map[tile.ID]loop.Expr  // values of the rows at hand, for each of the vectors at once
	partial map[stateKey][]*loop.Var // of reductions, in lanes, likewise
}

// vectorFunction returns the function of vectors of a range function in form f, and
// how many rows it takes at least, or nil if the rows have something that vectors do not.
func (k *kernel) vectorFunction(name string, f form) (fn *loop.Func, least int) {
	g, r, views := k.newRange(name+"_vectors", f, 0)
	v := &vectors{body: g, partial: map[stateKey][]*loop.Var{}}
	if v.lanes = v.findLanes(views); v.lanes == 0 {
		return nil, 0
	}
	g.b.Doc("handles rows from lo on as long as they fill vectors, and returns the first that is left and the state before it.")
	without := []loop.Expr{r.lo}
	for _, s := range r.results {
		without = append(without, v.before(s))
	}
	v.lane = make([]map[tile.ID]loop.Expr, v.atOnce())
	v.spread()
	v.startReductions()
	g.cut(views, r.lo, r.hi)
	v.rows(views)
	v.endReductions()
	results := []loop.Expr{loop.Sub(r.hi, loop.LenOf(g.view[views[0]]))}
	for _, s := range r.results {
		results = append(results, g.state[s.stateKey])
	}
	fn = g.b.Func(results...)
	fn.Otherwise = without
	return fn, v.block()
}

// before is the state before all rows of a range: what its function is given, or
// nothing for a summary.
func (v *vectors) before(s state) loop.Expr {
	if v.summary {
		return loop.ConstOf(s.identity)
	}
	return v.state[s.stateKey]
}

// afterVectors calls the function of vectors, unless it is nil, if there are least rows,
// and returns the row from which on rows are handled one by one.
func (g *body) afterVectors(f *loop.Func, least int, r *rangeFunc) loop.Expr {
	if f == nil {
		return r.lo
	}
	from := g.b.Decl("from", r.lo)
	results := []*loop.Var{from}
	for _, s := range r.results {
		results = append(results, g.state[s.stateKey])
	}
	var args []loop.Expr
	for _, p := range g.b.Params() {
		args = append(args, p)
	}
	g.b.If(loop.Ge(loop.Sub(r.hi, r.lo), loop.Int(int64(least))), func() {
		g.b.Add(&loop.Do{Results: results, Call: &loop.Call{Callee: f.Signature(), Args: args}})
	}, nil)
	return from
}

// spread puts the values that all rows share into all lanes.
func (v *vectors) spread() {
	v.ahead = map[tile.ID]loop.Expr{}
	for _, op := range v.rowOps() {
		for _, x := range op.Args {
			if x == 0 || v.Values[x].Domain != tile.Uniform || v.ahead[x] != nil || !hasVectors(v.kind(x)) {
				continue
			}
			v.ahead[x] = v.b.Let(v.laneName(x), &loop.Splat{X: v.expr(x), Lanes: v.lanes})
		}
	}
}

// laneName names a value that all rows share.
func (v *vectors) laneName(x tile.ID) string {
	if v.Ops[v.Values[x].Op].Kind == tile.Const {
		return "constant"
	}
	return v.name(x) + "_lanes"
}

// startReductions declares what reductions combine rows in.
func (v *vectors) startReductions() {
	for i, op := range v.rowOps() {
		if !op.IsReduction() {
			continue
		}
		key := stateKey{i, 0}
		for range v.lane {
			none := &loop.Splat{X: loop.ConstOf(op.Monoid.Identity[0]), Lanes: v.lanes}
			v.partial[key] = append(v.partial[key], v.b.Decl(v.state[key].Name+"_lanes", none))
		}
	}
}

// endReductions folds the lanes into the states.
func (v *vectors) endReductions() {
	for i, op := range v.rowOps() {
		if !op.IsReduction() {
			continue
		}
		key := stateKey{i, 0}
		all := v.partial[key]
		fold := func(x, y loop.Expr) loop.Expr {
			return backends.Combine(op.Monoid.Combine[0], func(int) loop.Expr { return x }, func(int) loop.Expr { return y })
		}
		for _, part := range all[1:] {
			v.b.Assign(all[0], fold(all[0], part))
		}
		lanes := v.b.Storage("lanes", loop.ArrayOf(v.lanes, all[0].T))
		v.b.Add(&loop.StoreLanes{Memory: lanes, Index: loop.Int(0), X: all[0]})
		v.b.For("lane", loop.Int(0), loop.Int(int64(v.lanes)), func(lane *loop.Var) {
			v.b.Assign(v.state[key], fold(v.state[key], loop.At(lanes, lane)))
		})
	}
}

// atOnce returns how many vectors of each view the loop handles at a time.
func (v *vectors) atOnce() int {
	reductions := 0
	for range v.With((*tile.Op).IsReduction) {
		reductions++
	}
	return max(1, min(vectorsAtOnce, vectorRegisters/max(1, reductions)))
}

// block is how many rows the loop handles at a time.
func (v *vectors) block() int { return len(v.lane) * v.lanes }

// rows handles the rows as long as they fill vectors, and as the selected ones have
// room: a whole vector is stored, of which the first lanes are selected rows. What is
// left stays in the views.
func (v *vectors) rows(views []int) {
	outer := map[int]*loop.Var{}
	for _, s := range views {
		outer[s] = v.view[s]
	}
	block := v.block()
	var enough loop.Expr = loop.Ge(loop.LenOf(outer[views[0]]), loop.Int(int64(block)))
	for d := range v.Domains {
		if stores := v.stores(d); d > 0 && len(stores) > 0 {
			end := loop.Add(loop.ToCounter(v.place(d)), loop.Int(int64(block)))
			enough = loop.And(enough, loop.Le(end, loop.LenOf(v.whole[stores[0].Stream])))
		}
	}
	v.b.While(enough, func() {
		for _, s := range views {
			v.view[s] = v.b.Window(streamName(v.Streams[s])+"_block", outer[s], loop.Int(0), block)
			v.b.Cut(outer[s], loop.Int(int64(block)), nil)
		}
		for n := range v.lane {
			v.lane[n] = map[tile.ID]loop.Expr{}
		}
		v.domain(0, make([]loop.Expr, len(v.lane)))
	})
	for _, s := range views {
		v.view[s] = outer[s]
	}
}

// domain handles rows of domain d, those in the masks; nil is all.
func (v *vectors) domain(d int, masks []loop.Expr) {
	for n, mask := range masks {
		v.fold(d, mask, n)
		v.storeLanes(d, mask, n)
	}
	for child := d + 1; child < len(v.Domains); child++ {
		if v.Domains[child].Parent == d && v.hasRows(child) {
			v.child(child, masks)
		}
	}
}

// fold combines rows of d, those in mask, in the reductions over d.
func (v *vectors) fold(d int, mask loop.Expr, n int) {
	for i, op := range v.rowOps() {
		if op.Domain != d || !op.IsReduction() {
			continue
		}
		part := v.partial[stateKey{i, 0}][n]
		x := v.value(op.Args[0], n)
		next := backends.Combine(op.Monoid.Combine[0], func(int) loop.Expr { return part }, func(int) loop.Expr { return x })
		if mask != nil {
			next = &loop.Select{Cond: mask, Then: next, Else: part}
		}
		v.b.Assign(part, next)
	}
}

// storeLanes stores rows of d: of the base at their own places, of other domains those
// in mask behind the ones before, which it counts.
func (v *vectors) storeLanes(d int, mask loop.Expr, n int) {
	if d == 0 {
		for _, op := range v.stores(0) {
			v.b.Add(&loop.StoreLanes{Memory: v.view[op.Stream], Index: v.first(n), X: v.value(op.Args[0], n)})
		}
		return
	}
	if v.place(d) == nil {
		return
	}
	if stores := v.stores(d); len(stores) > 0 {
		at := v.b.Let("at", loop.ToCounter(v.place(d)))
		for _, op := range stores {
			v.b.Add(&loop.StoreLanes{Memory: v.whole[op.Stream], Index: at, X: &loop.Compress{X: v.value(op.Args[0], n), Mask: mask}})
		}
	}
	place := v.place(d)
	v.b.Assign(place, loop.Add(place, loop.To(place.T, &loop.CountLanes{Mask: mask})))
}

// child handles the rows of d among those in the masks. If the first conditions hold
// for none of them, folds do not read the columns that only they need. Stores do: where
// a few rows are read here and there, memory takes longer than for all.
func (v *vectors) child(d int, masks []loop.Expr) {
	first, rest := v.splitGuard(v.Domains[d].Guard)
	selected := v.selected(masks, first)
	if !v.loadsLater(d, rest) {
		v.domain(d, v.selected(selected, rest))
		return
	}
	some := selected[0]
	for _, mask := range selected[1:] {
		some = loop.Or(some, mask)
	}
	known := v.lane
	v.b.If(&loop.AnyLane{Mask: some}, func() {
		v.lane = make([]map[tile.ID]loop.Expr, len(known)) // values of this branch are not in sight behind it
		for n := range known {
			v.lane[n] = maps.Clone(known[n])
		}
		v.domain(d, v.selected(selected, rest))
	}, nil)
	v.lane = known
}

// selected returns the masks of the rows for which conditions hold, too.
func (v *vectors) selected(masks []loop.Expr, conditions []tile.ID) []loop.Expr {
	if len(conditions) == 0 {
		return masks
	}
	list := make([]loop.Expr, len(masks))
	for n, mask := range masks {
		for _, c := range conditions {
			if mask == nil {
				mask = v.value(c, n)
			} else {
				mask = loop.And(mask, v.value(c, n))
			}
		}
		list[n] = v.b.Let("selected", mask)
	}
	return list
}

// loadsLater reports whether the rows of d are only folded, and they or conditions on
// them need columns that have not been loaded.
func (v *vectors) loadsLater(d int, conditions []tile.ID) bool {
	needed := map[int]bool{}
	for _, c := range conditions {
		v.markLoads(c, needed)
	}
	for _, op := range v.rowOps() {
		switch inside := v.Inside(op.Domain, d); {
		case inside && op.Does(tile.Writes):
			return false
		case inside && op.IsReduction():
			v.markLoads(op.Args[0], needed)
		}
	}
	for x := range v.lane[0] {
		if op := &v.Ops[v.Values[x].Op]; op.LoadsElement() {
			delete(needed, op.Stream)
		}
	}
	return len(needed) > 0
}

// stores lists what is stored for the rows of d.
func (v *vectors) stores(d int) (list []*tile.Op) {
	for _, op := range v.rowOps() {
		if op.Domain == d && op.Does(tile.Writes) {
			list = append(list, op)
		}
	}
	return list
}

// place is the state that numbers the rows of d, nil if this body does not need it.
func (v *vectors) place(d int) *loop.Var {
	if v.Domains[d].Counter == 0 {
		return nil
	}
	return v.state[stateKey{v.Values[v.Domains[d].Counter].Op, 0}]
}

// first is the first row of vector n in the views.
func (v *vectors) first(n int) loop.Expr { return loop.Int(int64(n * v.lanes)) }

// value returns x of the rows at hand, in vector n.
func (v *vectors) value(x tile.ID, n int) loop.Expr {
	if known := v.ahead[x]; known != nil {
		return known
	}
	if known := v.lane[n][x]; known != nil {
		return known
	}
	op := &v.Ops[v.Values[x].Op]
	var made loop.Expr
	switch {
	case op.LoadsElement():
		made = &loop.LoadLanes{Memory: v.view[op.Stream], Index: v.first(n), Lanes: v.lanes}
	case op.Operator == ir.OpCast && v.kind(op.Args[0]) == ir.Bool:
		made = &loop.Select{Cond: v.value(op.Args[0], n), Then: v.inLanes(v.kind(x), 1), Else: v.inLanes(v.kind(x), 0)}
	case op.Operator == ir.OpCast:
		made = loop.To(loop.VectorOf(v.lanes, loop.ScalarOf(v.kind(x))), v.value(op.Args[0], n))
	default:
		args := make([]loop.Expr, len(op.Args))
		for i, arg := range op.Args {
			args[i] = v.value(arg, n)
		}
		made = loop.Apply(op.Operator, args...)
	}
	if v.uses[x] > 1 || op.LoadsElement() {
		made = v.b.Let(v.name(x), made)
	}
	v.lane[n][x] = made
	return made
}

// inLanes returns a whole number, of kind k, in all lanes.
func (v *vectors) inLanes(k ir.Kind, x int64) loop.Expr {
	c := ir.Int(k, x)
	if k.IsFloat() {
		c = ir.Float(k, float64(x))
	}
	return &loop.Splat{X: loop.ConstOf(c), Lanes: v.lanes}
}
