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
	masks    *loop.Var   // likewise: the lanes whose row has the digit; nil if atomic operations give rows their places
	starts   *loop.Var   // per digit, if tiles claim places: the place of its first row in the tile
	ranked   *loop.Var   // likewise, of each two of the work-item's rows: how many rows of the tile with its digit come before
	totals   *loop.Var   // per digit: rows of the tile
	sole     *loop.Var   // 1 more than the number of the last tile whose rows all had one digit
	isLate   *loop.Var   // whether a row has met one that it should not, behind which it lies
	offsets  *loop.Var   // per digit: where its rows begin in the tile, then what takes a row from its place there to its place
}

// rankedTile declares what the work-items of a tile share.
func (s *launches) rankedTile(e *rowBody) *rankedTile {
	r := &rankedTile{rowBody: e}
	subgroups := e.rowItems() / r.ranks.lanes
	r.subgroup = e.b.Let("subgroup", loop.Div(e.localID, loop.Int(int64(r.ranks.lanes))))
	r.lane = e.b.Let("lane", loop.Apply(ir.OpAnd, e.localID, loop.Int(int64(r.ranks.lanes-1))))
	if r.ranks.claims {
		subgroups = 1 // they share the counters
	}
	r.counts = e.localWords("counts", subgroups*int(r.ranks.digits))
	switch {
	case r.ranks.claims:
		r.starts = e.localWords("starts", int(r.ranks.digits))
	case !r.ranks.serves:
		r.masks = e.localWords("masks", subgroups*int(r.ranks.digits))
	}
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

// begin declares what holds the rows of the work-item. No tile has had a sole digit yet.
func (r *rankedTile) begin() {
	r.held = nil
	r.sole = r.localWords("sole", 1)
	r.b.If(loop.Eq(r.localID, loop.Int(0)), func() { r.b.Store(r.sole, loop.Int(0), number(ir.U32, 0)) }, nil)
	for _, v := range r.ranks.held {
		r.held = append(r.held, r.b.Storage(r.name(v)+"_held", loop.ArrayOf(r.items, loop.ScalarOf(r.heldWord(v)))))
	}
	if r.ranks.claims {
		r.ranked = r.b.Storage("ranked", loop.ArrayOf((r.items+1)/2, loop.ScalarOf(ir.U32)))
	}
}

// load loads the rows of the tile.
func (r *rankedTile) load() {
	r.eachItem(true, func() {
		r.block(0)
		for j, v := range r.ranks.held {
			r.b.Store(r.held[j], r.item, toWord(r.heldWord(v), r.expr(v)))
		}
	})
}

// sharing is the scope of the work-items that share counters.
func (r *rankedTile) sharing() loop.Scope {
	if r.collective.inRegisters() {
		return loop.SubgroupScope
	}
	return loop.WorkgroupScope
}

// clear sets the counters of the subgroup to zero.
func (r *rankedTile) clear() {
	r.deal(r.lane, r.ranks.lanes, func(digit loop.Expr) {
		at := r.b.Let("at", r.counter(r.subgroup, digit))
		r.b.Store(r.counts, at, number(ir.U32, 0))
		if r.masks != nil {
			r.b.Store(r.masks, at, number(ir.U32, 0))
		}
	})
}

// deal deals the digits to workers, neighbours to neighbours.
func (r *rankedTile) deal(worker loop.Expr, workers int, body func(digit loop.Expr)) {
	own := (r.ranks.digits + int64(workers) - 1) / int64(workers)
	r.b.For("own", loop.Int(0), loop.Int(own), func(i *loop.Var) {
		digit := r.b.Let("digit", loop.Add(loop.Mul(i, loop.Int(int64(workers))), worker))
		r.ifDigit(digit, own*int64(workers), func() { body(digit) })
	})
}

// ifDigit runs body if a number is a digit, where numbers go up to most.
func (r *rankedTile) ifDigit(number loop.Expr, most int64, body func()) {
	if most == r.ranks.digits {
		body()
	} else {
		r.b.If(loop.Lt(number, loop.Int(r.ranks.digits)), body, nil)
	}
}

// eachItem runs body for each of the work-item's rows: with what loads load, or with
// what the row holds alone.
func (r *rankedTile) eachItem(loads bool, body func()) {
	r.eachAt(r.rowItems(), r.rowAt, r.rowsEnd, func(item, at loop.Expr) {
		if r.row = loop.Add(r.rowBody.tileBody.first, at); loads {
			r.rowBefore = loop.Sub(r.row, loop.Int(1))
		} else {
			r.recallHeld(func(j int) loop.Expr { return loop.At(r.held[j], item) })
		}
		body()
	})
}

// eachAt runs body for each item of some work-items whose place is in the tile: for
// all of them where the tile is whole.
func (r *rankedTile) eachAt(workItems int, place func(item loop.Expr) loop.Expr, end func() loop.Expr, body func(item, at loop.Expr)) {
	items := r.kernel.rows() / int64(workItems)
	var last loop.Expr
	one := func(item loop.Expr) {
		at := r.b.Let("at", place(item))
		run := func() {
			r.now, r.item, r.values = 0, item, map[tile.ID]loop.Expr{}
			body(item, at)
		}
		if r.isWhole {
			run()
		} else {
			r.b.If(loop.Lt(at, last), run, nil)
		}
	}
	each := func(whole bool) {
		if r.isWhole = whole; !whole {
			last = end()
		}
		if whole || r.itemsShared() == nil {
			r.b.For("item", loop.Int(0), loop.Int(items), func(item *loop.Var) { one(item) })
		} else {
			r.eachPart(int(items), workItems, one)
		}
		if items*int64(workItems) < r.kernel.rows() {
			r.isWhole, last = false, r.tileBody.count
			one(loop.Int(items))
		}
	}
	r.b.If(loop.Eq(r.tileBody.count, loop.Int(r.kernel.rows())), func() { each(true) }, func() { each(false) })
}

// eachPart runs body for items, a few at a time, up to the last one as which some work-item has a row: in tiles of few rows
// that is far from the last of all.
func (r *rankedTile) eachPart(items, workItems int, body func(item loop.Expr)) {
	some := r.b.Let("items", loop.Div(loop.Add(r.tileSize(), loop.Int(int64(workItems-1))), loop.Int(int64(workItems))))
	r.b.For("part", loop.Int(0), loop.Int(int64((items+itemsAtOnce-1)/itemsAtOnce)), func(part *loop.Var) {
		first := r.b.Let("first_item", loop.Mul(part, loop.Int(itemsAtOnce)))
		r.b.If(loop.Lt(first, some), func() {
			r.b.For("item", loop.Int(0), loop.Int(itemsAtOnce), func(i *loop.Var) {
				item := loop.Add(first, i)
				if items%itemsAtOnce == 0 {
					body(item)
				} else {
					r.b.If(loop.Lt(item, loop.Int(int64(items))), func() { body(item) }, nil)
				}
			})
		}, nil)
	})
}

// rowAt returns the row of the tile that the work-item has as an item.
func (r *rankedTile) rowAt(item loop.Expr) loop.Expr {
	first := r.firstRow(r.subgroup)
	return loop.Add(loop.Add(first, loop.Mul(item, loop.Int(int64(r.ranks.lanes)))), r.lane)
}

// firstRow returns where the rows of a subgroup begin in the tile.
func (r *rankedTile) firstRow(subgroup loop.Expr) loop.Expr {
	if share := r.itemsShared(); share != nil && !r.isWhole {
		return loop.Mul(subgroup, loop.Mul(share, loop.Int(int64(r.ranks.lanes))))
	}
	return loop.Mul(subgroup, loop.Int(int64(r.items*r.ranks.lanes)))
}

// rowsEnd returns where the rows of the subgroup end in a tile that is not whole.
func (r *rankedTile) rowsEnd() loop.Expr {
	if r.itemsShared() == nil {
		return r.tileBody.count
	}
	return r.b.Let("end", loop.Least(r.firstRow(loop.Add(r.subgroup, loop.Int(1))), r.tileBody.count))
}

// recallHeld names the values that a row holds as words.
func (r *rankedTile) recallHeld(word func(j int) loop.Expr) {
	for j, v := range r.ranks.held {
		r.values[v] = r.b.Let(r.name(v), fromWord(r.Values[v].Kind, word(j)))
	}
}

// recallItem names the values of one of the work-item's rows.
func (r *rankedTile) recallItem(item loop.Expr) {
	r.values = map[tile.ID]loop.Expr{}
	r.recallHeld(func(j int) loop.Expr { return loop.At(r.held[j], item) })
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
}

// eachDigit deals the digits to the work-items, neighbours to each.
func (r *rankedTile) eachDigit(body func(digit loop.Expr)) {
	own := (r.ranks.digits + int64(r.workgroup) - 1) / int64(r.workgroup)
	each := func(i loop.Expr) {
		digit := r.b.Let("digit", loop.Add(loop.Mul(r.localID, loop.Int(own)), i))
		r.ifDigit(digit, own*int64(r.workgroup), func() { body(digit) })
	}
	if own == 1 {
		each(loop.Int(0))
		return
	}
	r.b.For("own", loop.Int(0), loop.Int(own), func(i *loop.Var) { each(i) })
}

// eachSubgroup runs body for each subgroup.
func (r *rankedTile) eachSubgroup(body func(subgroup loop.Expr)) {
	r.b.For("of", loop.Int(0), loop.Int(int64(r.rowItems()/r.ranks.lanes)), func(i *loop.Var) { body(i) })
}

// begins turns the counts into places in the tile: of the first row of each digit,
// and of the first of each subgroup among these. It publishes the tile's counts.
func (r *rankedTile) begins(earlier digitCounts) {
	st := single(r.kernel, slot{stateKey: stateKey{r.ranks.op, 0}, kind: ir.I32, counts: true})
	mine := r.declare(st, st.identities())[0]
	r.eachDigit(func(digit loop.Expr) {
		total := r.total(digit)
		earlier.publish(r.tileBody, digit, total)
		r.b.Store(r.totals, digit, total)
		if !r.ranks.claims {
			r.b.If(loop.Eq(loop.ToCounter(total), r.tileBody.count), func() { r.b.Store(r.sole, loop.Int(0), r.mark()) }, nil)
		}
		r.b.Assign(mine, loop.Add(mine, loop.ToKind(ir.I32, total)))
	})
	before, _ := r.blockScan(st, []loop.Expr{mine}, duringScan{})
	begin := r.b.Decl("begin", before[0])
	r.eachDigit(func(digit loop.Expr) {
		r.b.Store(r.offsets, digit, loop.ToKind(r.rowKind(), begin))
		if r.ranks.claims {
			r.b.Store(r.starts, digit, loop.ToKind(ir.U32, begin))
			r.b.Assign(begin, loop.Add(begin, loop.ToKind(ir.I32, loop.At(r.totals, digit))))
			return
		}
		r.eachSubgroup(func(subgroup loop.Expr) {
			at := r.b.Let("at", r.counter(subgroup, digit))
			count := r.b.Let("count", loop.ToKind(ir.I32, loop.At(r.counts, at)))
			r.b.Store(r.counts, at, loop.ToKind(ir.U32, begin))
			r.b.Assign(begin, loop.Add(begin, count))
		})
	})
	r.b.Barrier(loop.WorkgroupScope)
}

// total returns how many rows of the tile have a digit.
func (r *rankedTile) total(digit loop.Expr) loop.Expr {
	if r.ranks.claims {
		return r.takeTotal(digit)
	}
	total := r.b.Decl("total", number(ir.U32, 0))
	r.eachSubgroup(func(subgroup loop.Expr) {
		r.b.Assign(total, loop.Add(total, loop.At(r.counts, r.counter(subgroup, digit))))
	})
	return total
}

// mark is what sole holds if the rows of the tile all have one digit.
func (r *rankedTile) mark() loop.Expr {
	return loop.ToKind(ir.U32, loop.Add(r.tileBody.tile, loop.Int(1)))
}

// handOut puts the rows in local memory, in the order of their digits. Rows of one
// digit are in that order.
func (r *rankedTile) handOut() {
	if r.ranks.claims {
		r.eachItem(false, func() { r.put(r.claimedPlace(), r.item) })
		return
	}
	r.b.If(loop.Eq(loop.At(r.sole, loop.Int(0)), r.mark()), func() {
		r.eachItem(false, func() { r.put(r.rowAt(r.item), r.item) })
	}, func() {
		if r.ranks.serves {
			r.serve()
		} else {
			r.handOutByDigits()
		}
	})
}

// recallAt names the values of the row at a place in local memory.
func (r *rankedTile) recallAt(at loop.Expr) {
	words := r.heldInTile()
	r.recallHeld(func(j int) loop.Expr { return loop.At(words[j], loop.Add(at, loop.Int(r.heldStart(j)))) })
}

// put puts a row of the work-item at a place in local memory.
func (r *rankedTile) put(place, item loop.Expr) {
	for j, words := range r.heldInTile() {
		r.b.Store(words, loop.Add(place, loop.Int(r.heldStart(j))), loop.At(r.held[j], item))
	}
	if r.ranks.serves {
		r.b.Store(r.numbers(), loop.Add(place, r.numbersStart()), loop.ToKind(numberKind, loop.Add(r.rowBody.tileBody.first, r.rowAt(item))))
	}
}

// handOutByDigits is handOut for rows of several digits. The lanes of a subgroup whose
// rows have one digit find each other in its mask. The last of them counts them.
func (r *rankedTile) handOutByDigits() {
	scope := r.sharing()
	bit := r.b.Let("bit", loop.Apply(ir.OpShl, number(ir.U32, 1), loop.ToKind(ir.U32, r.lane)))
	below := r.b.Let("below", loop.Sub(bit, number(ir.U32, 1)))
	r.isWhole = false
	end := r.rowsEnd()
	r.eachHeld(func(item loop.Expr) {
		exists := r.b.Let("exists", loop.Lt(r.rowAt(item), end))
		counter := r.b.Decl("counter", r.counter(r.subgroup, loop.Int(0)))
		r.b.If(exists, func() {
			r.recallItem(item)
			r.b.Assign(counter, r.counter(r.subgroup, r.digit()))
			r.b.Atomic(loop.AtomicOr, r.masks, counter, bit)
		}, nil)
		r.b.Barrier(scope)
		lanes := r.b.Let("lanes", loop.At(r.masks, counter))
		next := r.b.Let("next", loop.At(r.counts, counter))
		r.b.Barrier(scope)
		r.b.If(exists, func() {
			place := r.b.Let("place", loop.ToCounter(loop.Add(next, loop.Apply(ir.OpPopcount, loop.Apply(ir.OpAnd, lanes, below)))))
			r.put(place, item)
			isLast := loop.Eq(loop.Apply(ir.OpShr, lanes, loop.ToKind(ir.U32, r.lane)), number(ir.U32, 1))
			r.b.If(isLast, func() {
				r.b.Store(r.counts, counter, loop.Add(next, loop.Apply(ir.OpPopcount, lanes)))
				r.b.Store(r.masks, counter, number(ir.U32, 0))
			}, nil)
		}, nil)
		r.b.Barrier(scope)
	})
}

// itemsAtOnce is how many items of a work-item are left out together, where tiles have fewer rows.
const itemsAtOnce = 4

// eachHeld runs body for each item that holds a row of some work-item, which all work-items do together.
func (r *rankedTile) eachHeld(body func(item loop.Expr)) {
	share := r.itemsShared()
	if share == nil {
		r.b.For("item", loop.Int(0), loop.Int(int64(r.items)), func(item *loop.Var) { body(item) })
		return
	}
	r.b.For("part", loop.Int(0), loop.Int(int64(r.items/itemsAtOnce)), func(part *loop.Var) {
		first := r.b.Let("first_item", loop.Mul(part, loop.Int(itemsAtOnce)))
		r.b.If(loop.Lt(first, share), func() {
			r.b.For("item", loop.Int(0), loop.Int(itemsAtOnce), func(item *loop.Var) { body(loop.Add(first, item)) })
		}, nil)
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

// digitsAtOnce is how many digits a work-item looks back for at once.
const digitsAtOnce = 4

// ownDigit is a digit for which a work-item looks back.
type ownDigit struct {
	digit  loop.Expr
	count  loop.Expr // its rows in the tile
	first  loop.Expr // the place of its first row of all
	exists loop.Expr // nil if it certainly does; otherwise another digit stands in
}

// If runs body if the digit exists.
func (d ownDigit) If(b *loop.Builder, body func()) {
	if d.exists == nil {
		body()
	} else {
		b.If(d.exists, body, nil)
	}
}

// offset finds where the rows of each digit go. Workers have a digit or some.
func (r *rankedTile) offset(earlier digitCounts, worker loop.Expr, workers int) {
	own := (int(r.ranks.digits) + workers - 1) / workers
	atOnce := min(own, digitsAtOnce)
	rounds := (own + atOnce - 1) / atOnce
	r.b.For("round", loop.Int(0), loop.Int(int64(rounds)), func(round *loop.Var) {
		var digits []ownDigit
		for i := range atOnce {
			part := loop.Add(loop.Mul(round, loop.Int(int64(atOnce))), loop.Int(int64(i)))
			d := ownDigit{digit: r.b.Let("digit", loop.Add(loop.Mul(part, loop.Int(int64(workers))), worker))}
			if rounds*atOnce*workers > int(r.ranks.digits) {
				d.exists = r.b.Let("exists", loop.Lt(d.digit, loop.Int(r.ranks.digits)))
				d.digit = r.b.Let("digit", loop.Choose(d.exists, d.digit, loop.Int(0)))
			}
			d.count, d.first = r.b.Let("count", loop.At(r.totals, d.digit)), r.b.Let("first", r.first(d.digit))
			digits = append(digits, d)
		}
		before := earlier.before(r.tileBody, digits)
		for i, d := range digits {
			d.If(r.b, func() {
				r.b.Store(r.offsets, d.digit, loop.Sub(loop.Add(d.first, before[i]), loop.At(r.offsets, d.digit)))
			})
		}
	})
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
	inTile := func(item loop.Expr) loop.Expr {
		return loop.Add(loop.Mul(item, loop.Int(int64(r.workgroup))), r.localID)
	}
	if r.ranks.serves {
		r.isLate = r.b.Decl("is_late", loop.False)
	}
	r.eachAt(r.workgroup, inTile, func() loop.Expr { return r.tileBody.count }, func(_, at loop.Expr) {
		var bits loop.Expr
		if r.ranks.serves {
			bits = r.recallServed(at)
		} else {
			r.recallAt(at)
		}
		digit := r.digit()
		place := r.b.Let("place", loop.Add(loop.ToCounter(loop.At(r.offsets, digit)), at))
		if r.ranks.serves {
			r.compare(at, digit, bits)
		}
		r.now, r.values[r.Ops[r.ranks.op].Res[0]] = 1, loop.ToKind(ir.I64, place)
		// Where a tile before has given up, a later pass may count too many rows.
		r.b.If(loop.Inside(place, loop.ToCounter(rows)), func() { r.block(0) }, nil)
	})
	if r.ranks.serves {
		r.giveUp()
	}
}
