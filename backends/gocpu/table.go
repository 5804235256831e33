package gocpu

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
)

// ownTable is the most elements of a table that each worker has a copy of: the digits
// of 64 bits have as many. To add a copy to the table must cost less than the rows.
const ownTable = 2048

// rowsPerOwn is how many rows there are at least for each element of a larger table that
// workers have copies of.
const rowsPerOwn = 64

// Hash is how many rows there are at least for each group if emitted Go finds the groups of
// rows by a hash table, unless it partitions the rows before. With fewer rows a group, tables would
// be large beside the rows.
const Hash = rowsPerOwn

// sharesTables reports whether workers can combine rows in tables of their own: of integers, so that
// the order of the workers makes no difference. Whether they are small enough, a run knows.
func (k *kernel) sharesTables() bool {
	for _, op := range k.With(func(op *tile.Op) bool { return op.Does(tile.Combines) }) {
		if k.hasParts(op) || k.CombinesEntered(op) && k.Ops[k.Values[op.Args[0]].Op].PartBits > 0 {
			continue // no two workers have rows of one slot, or one bin
		}
		kind := k.Streams[op.Stream].Kind
		_, ok := loop.AtomicOf(op.Monoid.Combine[0].Operator)
		if !ok || !kind.IsInteger() || kind.Size() < 4 {
			return false
		}
		if k.Has((*tile.Op).IsLoad, func(other *tile.Op) bool { return other.Stream == op.Stream }) {
			return false
		}
	}
	return true
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

// areSmall reports whether tables are small enough for workers to have copies, one for each so many
// rows; nil if all are for sure.
func (d *driver) areSmall(rows loop.Expr) (all loop.Expr) {
	tables := d.tables()
	for s, stream := range d.Streams {
		if tables[s] == nil || d.small[stream.Buffer] > 0 {
			continue
		}
		fits := loop.Le(d.tableLength(s), loop.Greatest(loop.Int(ownTable), loop.Div(rows, loop.Int(rowsPerOwn))))
		if all == nil {
			all = fits
		} else {
			all = loop.And(all, fits)
		}
	}
	return all
}

// ownTables writes statements of one worker with tables of its own, and adds these to
// the common ones.
func (d *driver) ownTables(write func()) {
	updates := d.tables()
	own := map[int]*loop.Var{}
	for s, stream := range d.Streams {
		update := updates[s]
		if update == nil {
			continue
		}
		own[s] = d.b.Make(streamName(stream)+"_own", loop.ScalarOf(stream.Kind), d.tableLength(s))
		if identity := update.Monoid.Identity[0]; identity.Bits != 0 {
			d.b.For("i", loop.Int(0), loop.LenOf(own[s]), func(i *loop.Var) { d.b.Store(own[s], i, loop.ConstOf(identity)) })
		}
	}
	d.withStreams(own, write)
	for s := range d.Streams {
		if update := updates[s]; update != nil {
			atomic, _ := loop.AtomicOf(update.Monoid.Combine[0].Operator)
			d.b.For("i", loop.Int(0), loop.LenOf(own[s]), func(i *loop.Var) {
				d.b.Atomic(atomic, d.whole[s], i, loop.At(own[s], i))
			})
		}
	}
}
