package gocpu

import (
	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
)

// ownTable is the most elements of a buffer whose length is worth knowing: the digits of 64 bits have as many.
const ownTable = 2048

// rowsPerOwn is how many rows two workers have at least for each element of a table that
// they have copies of. To make, fill and add an element takes as long as 7 rows.
const rowsPerOwn = 64

// Hash is how many rows there are at least for each group if emitted Go finds the groups of
// rows by a hash table, unless it partitions the rows before. With fewer rows a group, tables would
// be large beside the rows.
const Hash = rowsPerOwn

// sharesTables reports whether workers can combine rows in tables of their own. Whether they are small enough, a
// run knows.
func (k *kernel) sharesTables() bool {
	for _, op := range k.With(func(op *tile.Op) bool { return op.Does(tile.Combines) }) {
		if k.hasParts(op) || k.CombinesEntered(op) && k.Ops[k.Values[op.Args[0]].Op].PartBits > 0 {
			continue // no two workers have rows of one slot, or one bin
		}
		if !k.addsInAnyOrder(op) && k.CombinesEntered(op) { // what is entered is added key by key
			return false
		}
		if k.Has((*tile.Op).IsLoad, func(other *tile.Op) bool { return other.Stream == op.Stream }) {
			return false
		}
	}
	return true
}

// addsInAnyOrder reports whether workers add a table of their own to the common one by atomic operations, when they
// have no more rows. Others, such as those of floats, whose sums are rounded, are combined
// when no worker has any, in the order of the workers: equal workers have equal rows, and give equal sums.
func (k *kernel) addsInAnyOrder(update *tile.Op) bool {
	kind := k.Streams[update.Stream].Kind
	_, ok := loop.AtomicOf(update.Monoid.Combine[0].Operator)
	return ok && kind.IsInteger() && kind.Size() >= 4
}

// tables lists the updates by the streams of their tables, one for each; not those of which a worker
// has elements beside the keys that it enters, or a part for itself.
func (k *kernel) tables() map[int]*tile.Op {
	list := map[int]*tile.Op{}
	for _, op := range k.With(func(op *tile.Op) bool { return op.Does(tile.Combines) && !k.CombinesEntered(op) && !k.hasParts(op) }) {
		list[op.Stream] = op
	}
	return list
}

// tableLength returns how many elements a table has.
func (d *driver) tableLength(stream int) loop.Expr {
	if length := d.small[d.Streams[stream].Buffer]; length > 0 {
		return loop.Int(length)
	}
	return loop.LenOf(d.whole[stream])
}

// limitWorkers leaves so many workers to the launch that the rows of each are many beside the elements of
// its tables.
func (d *driver) limitWorkers() {
	var elements loop.Expr = loop.Int(0)
	known, areKnown := int64(0), true
	tables := d.tables()
	for s, stream := range d.Streams {
		if length := d.small[stream.Buffer]; tables[s] != nil && length > 0 {
			known += length
		} else if tables[s] != nil {
			elements, areKnown = loop.Add(elements, d.tableLength(s)), false
		}
	}
	if areKnown && known <= rangeRows/(rowsPerOwn/2) {
		return
	}
	least := loop.Mul(loop.Greatest(loop.Add(elements, loop.Int(known)), loop.Int(1)), loop.Int(rowsPerOwn/2))
	if areKnown {
		least = loop.Int(known * rowsPerOwn / 2)
	}
	isFew := loop.Lt(d.rows, loop.Int(parallelRows)) // only a test shares as few rows
	d.workers = d.b.Let("few", loop.Choose(isFew, d.workers, loop.Least(d.workers, loop.Div(d.rows, least))))
}

// makeInOrder makes memory for the tables of all workers that are combined in their order.
func (d *driver) makeInOrder() map[int]*loop.Var {
	all := map[int]*loop.Var{}
	updates := d.tables()
	for s, stream := range d.Streams {
		if update := updates[s]; update != nil && !d.addsInAnyOrder(update) {
			all[s] = d.b.Make(streamName(stream)+"_workers", loop.ScalarOf(stream.Kind), loop.Mul(d.workers, d.stride(s)))
			d.fillTable(all[s], update)
		}
	}
	return all
}

// stride returns how many elements behind a worker's table the next one's begins: no two have
// elements in lines of a cache that are loaded together.
func (d *driver) stride(s int) loop.Expr {
	const lines = 2 * 64
	return loop.Add(d.tableLength(s), loop.Int(lines/int64(d.Streams[s].Kind.Size())))
}

// combineInOrder combines these tables, when all workers are done.
func (d *driver) combineInOrder(all map[int]*loop.Var) {
	updates := d.tables()
	for s := range d.Streams {
		if all[s] == nil {
			continue
		}
		d.b.For("worker", loop.Int(0), d.workers, func(worker *loop.Var) {
			length := d.tableLength(s)
			d.b.For("i", loop.Int(0), length, func(i *loop.Var) {
				common := func(int) loop.Expr { return loop.At(d.whole[s], i) }
				own := func(int) loop.Expr { return loop.At(all[s], loop.Add(loop.Mul(worker, d.stride(s)), i)) }
				d.b.Store(d.whole[s], i, backends.Combine(updates[s].Monoid.Combine[0], common, own))
			})
		})
	}
}

// fillTable fills a table, or those of all workers, with the identity of its update.
func (d *driver) fillTable(table *loop.Var, update *tile.Op) {
	if identity := update.Monoid.Identity[0]; identity.Bits != 0 {
		d.b.For("i", loop.Int(0), loop.LenOf(table), func(i *loop.Var) { d.b.Store(table, i, loop.ConstOf(identity)) })
	}
}

// makeTables makes the tables of a worker, which are parts of those that inOrder has.
func (d *driver) makeTables(worker *loop.Var, inOrder map[int]*loop.Var) map[int]*loop.Var {
	updates := d.tables()
	own := map[int]*loop.Var{}
	for s, stream := range d.Streams {
		update := updates[s]
		if update == nil {
			continue
		}
		length := d.tableLength(s)
		if all := inOrder[s]; all != nil {
			begin := d.b.Let("begin", loop.Mul(worker, d.stride(s)))
			own[s] = d.b.Slice(streamName(stream)+"_own", all, begin, loop.Add(begin, length))
			continue
		}
		own[s] = d.b.Make(streamName(stream)+"_own", loop.ScalarOf(stream.Kind), length)
		d.fillTable(own[s], update)
	}
	return own
}

// addTables adds the tables of a worker to the common ones, but for those that are combined in order.
func (d *driver) addTables(own, inOrder map[int]*loop.Var) {
	updates := d.tables()
	for s := range d.Streams {
		if update := updates[s]; update != nil && inOrder[s] == nil {
			atomic, _ := loop.AtomicOf(update.Monoid.Combine[0].Operator)
			d.b.For("i", loop.Int(0), loop.LenOf(own[s]), func(i *loop.Var) {
				d.b.Atomic(atomic, d.whole[s], i, loop.At(own[s], i))
			})
		}
	}
}
