package simt

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// rankedTile writes what a work-group does with a tile whose rows move.
type rankedTile struct {
	*rowBody
	held     []*loop.Var // per value that rows hold, a word per item
	subgroup loop.Expr   // of the work-items that share counters
	lane     loop.Expr   // in it
	counts   *loop.Var   // per subgroup and digit: its rows, then the place of the next in the tile
	masks    *loop.Var   // likewise: the lanes whose row has the digit
	totals   *loop.Var   // per digit: rows of the tile
	offsets  *loop.Var   // per digit: where its rows begin in the tile, then what takes a row from its place there to its place
}

// beginTile loads the rows of the tile, and clears the counters.
func (s ranking) beginTile(e *rowBody) *rankedTile {
	r := s.rankedTile(e)
	r.tileRows()
	for _, v := range r.ranks.held {
		r.held = append(r.held, e.b.Storage(e.name(v)+"_held", loop.ArrayOf(e.items, loop.ScalarOf(e.heldWord(v)))))
	}
	r.clear()
	r.eachItem(true, func() {
		e.block(0)
		for j, v := range r.ranks.held {
			e.b.Store(r.held[j], e.item, toWord(e.heldWord(v), e.expr(v)))
		}
	})
	e.b.Barrier(loop.WorkgroupScope) // the counters are clear
	return r
}

// rankedTile declares what the work-items of a tile share.
func (s ranking) rankedTile(e *rowBody) *rankedTile {
	r := &rankedTile{rowBody: e}
	subgroups := e.workgroup / r.ranks.lanes
	r.subgroup = e.b.Let("subgroup", loop.Div(e.localID, loop.Int(int64(r.ranks.lanes))))
	r.lane = e.b.Let("lane", loop.Apply(ir.OpAnd, e.localID, loop.Int(int64(r.ranks.lanes-1))))
	r.counts = e.localWords("counts", subgroups*int(r.ranks.digits))
	r.masks = e.localWords("masks", subgroups*int(r.ranks.digits))
	r.totals = e.localWords("totals", int(r.ranks.digits))
	r.offsets = e.localArray("shared_offsets", s.rowKind(), int(r.ranks.digits))
	return r
}

// rowKind is the kind of numbers of rows in memory.
func (k *kernel) rowKind() ir.Kind {
	if k.long {
		return ir.I64
	}
	return ir.I32
}

// clear sets the counters to zero.
func (r *rankedTile) clear() {
	n := r.ranks.digits * int64(r.workgroup/r.ranks.lanes)
	r.eachPlace(loop.Int(n), func(at loop.Expr) {
		r.b.Store(r.counts, at, number(ir.U32, 0))
		r.b.Store(r.masks, at, number(ir.U32, 0))
	})
}

// eachItem runs body for each of the work-item's rows: with what loads load, or with
// what the row holds alone.
func (r *rankedTile) eachItem(loads bool, body func()) {
	r.eachAt(r.rowAt, func(item *loop.Var, at loop.Expr) {
		if r.row = loop.Add(r.rowBody.tileBody.first, at); loads {
			r.rowBefore = loop.Sub(r.row, loop.Int(1))
		} else {
			r.recallHeld(func(j int) loop.Expr { return loop.At(r.held[j], item) })
		}
		body()
	})
}

// eachAt runs body for each item whose place is in the tile: for all of them where
// the tile is whole.
func (r *rankedTile) eachAt(place func(item loop.Expr) loop.Expr, body func(item *loop.Var, at loop.Expr)) {
	each := func(whole bool) {
		r.isWhole = whole
		r.b.For("item", loop.Int(0), loop.Int(int64(r.items)), func(item *loop.Var) {
			at := r.b.Let("at", place(item))
			run := func() {
				r.now, r.item, r.values = 0, item, map[tile.ID]loop.Expr{}
				body(item, at)
			}
			if whole {
				run()
			} else {
				r.b.If(loop.Lt(at, r.tileBody.count), run, nil)
			}
		})
	}
	r.b.If(loop.Eq(r.tileBody.count, loop.Int(r.kernel.rows())), func() { each(true) }, func() { each(false) })
}

// rowAt returns the row of the tile that the work-item has as an item.
func (r *rankedTile) rowAt(item loop.Expr) loop.Expr {
	first := loop.Mul(r.subgroup, loop.Int(int64(r.items*r.ranks.lanes)))
	return loop.Add(loop.Add(first, loop.Mul(item, loop.Int(int64(r.ranks.lanes)))), r.lane)
}

// recallHeld names the values that a row holds as words.
func (r *rankedTile) recallHeld(word func(j int) loop.Expr) {
	for j, v := range r.ranks.held {
		r.values[v] = r.b.Let(r.name(v), fromWord(r.Values[v].Kind, word(j)))
	}
}

// digit returns the digit of the row at hand.
func (r *rankedTile) digit() loop.Expr {
	return r.b.Let("digit", loop.ToCounter(r.expr(r.Ops[r.ranks.op].Args[0])))
}

// counter returns the place of a digit among the counters of a subgroup.
func (r *rankedTile) counter(subgroup, digit loop.Expr) loop.Expr {
	return loop.Add(loop.Mul(subgroup, loop.Int(r.ranks.digits)), digit)
}

// count counts the rows of each subgroup by their digits.
func (r *rankedTile) count() {
	r.eachItem(false, func() {
		r.b.Atomic(loop.AtomicAdd, r.counts, r.counter(r.subgroup, r.digit()), number(ir.U32, 1))
	})
	r.b.Barrier(loop.WorkgroupScope)
}

// eachDigit deals the digits to the work-items, neighbours to each.
func (r *rankedTile) eachDigit(body func(digit loop.Expr)) {
	own := (r.ranks.digits + int64(r.workgroup) - 1) / int64(r.workgroup)
	each := func(i loop.Expr) {
		digit := r.b.Let("digit", loop.Add(loop.Mul(r.localID, loop.Int(own)), i))
		if own*int64(r.workgroup) == r.ranks.digits {
			body(digit)
		} else {
			r.b.If(loop.Lt(digit, loop.Int(r.ranks.digits)), func() { body(digit) }, nil)
		}
	}
	if own == 1 {
		each(loop.Int(0))
		return
	}
	r.b.For("own", loop.Int(0), loop.Int(own), func(i *loop.Var) { each(i) })
}

// eachSubgroup runs body for each subgroup.
func (r *rankedTile) eachSubgroup(body func(subgroup loop.Expr)) {
	r.b.For("of", loop.Int(0), loop.Int(int64(r.workgroup/r.ranks.lanes)), func(i *loop.Var) { body(i) })
}

// begins turns the counts into places in the tile: of the first row of each digit,
// and of the first of each subgroup among these. It publishes the tile's counts.
func (r *rankedTile) begins(publish func(digit, count loop.Expr)) {
	st := single(r.kernel, slot{stateKey: stateKey{r.ranks.op, 0}, kind: ir.I32, counts: true})
	mine := r.declare(st, st.identities())[0]
	r.eachDigit(func(digit loop.Expr) {
		total := r.b.Decl("total", number(ir.U32, 0))
		r.eachSubgroup(func(subgroup loop.Expr) {
			r.b.Assign(total, loop.Add(total, loop.At(r.counts, r.counter(subgroup, digit))))
		})
		publish(digit, total)
		r.b.Store(r.totals, digit, total)
		r.b.Assign(mine, loop.Add(mine, loop.ToKind(ir.I32, total)))
	})
	before, _ := r.blockScan(st, []loop.Expr{mine}, duringScan{})
	begin := r.b.Decl("begin", before[0])
	r.eachDigit(func(digit loop.Expr) {
		r.b.Store(r.offsets, digit, loop.ToKind(r.rowKind(), begin))
		r.eachSubgroup(func(subgroup loop.Expr) {
			at := r.b.Let("at", r.counter(subgroup, digit))
			count := r.b.Let("count", loop.ToKind(ir.I32, loop.At(r.counts, at)))
			r.b.Store(r.counts, at, loop.ToKind(ir.U32, begin))
			r.b.Assign(begin, loop.Add(begin, count))
		})
	})
	r.b.Barrier(loop.WorkgroupScope)
}

// handOut puts the rows in local memory, in the order of their digits. The lanes of
// a subgroup whose rows have one digit find each other in its mask. The last of them
// counts them.
func (r *rankedTile) handOut() {
	scope := loop.WorkgroupScope
	if r.collective.inRegisters() {
		scope = loop.SubgroupScope
	}
	bit := r.b.Let("bit", loop.Apply(ir.OpShl, number(ir.U32, 1), loop.ToKind(ir.U32, r.lane)))
	below := r.b.Let("below", loop.Sub(bit, number(ir.U32, 1)))
	r.b.For("item", loop.Int(0), loop.Int(int64(r.items)), func(item *loop.Var) {
		exists := r.b.Let("exists", loop.Lt(r.rowAt(item), r.tileBody.count))
		counter := r.b.Decl("counter", r.counter(r.subgroup, loop.Int(0)))
		r.values = map[tile.ID]loop.Expr{}
		r.b.If(exists, func() {
			r.recallHeld(func(j int) loop.Expr { return loop.At(r.held[j], item) })
			r.b.Assign(counter, r.counter(r.subgroup, r.digit()))
			r.b.Atomic(loop.AtomicOr, r.masks, counter, bit)
		}, nil)
		r.b.Barrier(scope)
		lanes := r.b.Let("lanes", loop.At(r.masks, counter))
		next := r.b.Let("next", loop.At(r.counts, counter))
		r.b.Barrier(scope)
		r.b.If(exists, func() {
			place := r.b.Let("place", loop.ToCounter(loop.Add(next, loop.Apply(ir.OpPopcount, loop.Apply(ir.OpAnd, lanes, below)))))
			for j, words := range r.heldInTile() {
				r.b.Store(words, loop.Add(place, loop.Int(r.heldStart(j))), loop.At(r.held[j], item))
			}
			isLast := loop.Eq(loop.Apply(ir.OpShr, lanes, loop.ToKind(ir.U32, r.lane)), number(ir.U32, 1))
			r.b.If(isLast, func() {
				r.b.Store(r.counts, counter, loop.Add(next, loop.Apply(ir.OpPopcount, lanes)))
				r.b.Store(r.masks, counter, number(ir.U32, 0))
			}, nil)
		}, nil)
		r.b.Barrier(scope)
	})
}

// heldInTile returns the local memory of the values that rows hold.
func (r *rankedTile) heldInTile() (list []*loop.Var) {
	for _, v := range r.ranks.held {
		list = append(list, r.arenaOf(r.heldWord(v)))
	}
	return list
}

// heldStart returns the word at which the rows of a held value begin. Values of 64
// bits come first.
func (r *rankedTile) heldStart(j int) int64 {
	bytes, word := int64(0), r.heldWord(r.ranks.held[j])
	for i, v := range r.ranks.held {
		other := r.heldWord(v)
		if other.Size() > word.Size() || other == word && i < j {
			bytes += r.kernel.rows() * int64(other.Size())
		}
	}
	return bytes / int64(word.Size())
}

// first returns the place of the first row of all that has a digit.
func (r *rankedTile) first(digit loop.Expr) loop.Expr {
	op := &r.Ops[r.ranks.op]
	r.now, r.values = 0, map[tile.ID]loop.Expr{op.Args[0]: loop.ToKind(ir.I64, digit)}
	return loop.ToKind(r.rowKind(), r.expr(op.Args[1]))
}

// move stores the rows at their places.
func (r *rankedTile) move() {
	rows := r.length(r.Domains[0].Plan)
	words := r.heldInTile()
	inTile := func(item loop.Expr) loop.Expr {
		return loop.Add(loop.Mul(item, loop.Int(int64(r.workgroup))), r.localID)
	}
	r.eachAt(inTile, func(_ *loop.Var, at loop.Expr) {
		r.recallHeld(func(j int) loop.Expr { return loop.At(words[j], loop.Add(at, loop.Int(r.heldStart(j)))) })
		offset := loop.At(r.offsets, r.digit())
		place := r.b.Let("place", loop.Add(loop.ToCounter(offset), at))
		r.now, r.values[r.Ops[r.ranks.op].Res[0]] = 1, loop.ToKind(ir.I64, place)
		// Where a tile before has given up, a later pass may count too many rows.
		r.b.If(loop.Inside(place, loop.ToCounter(rows)), func() { r.block(0) }, nil)
	})
}
