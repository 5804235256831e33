package fuse

import (
	"math"

	"github.com/kgen-go/kgen/ir"
)

// Cuckoo hashing (Pagh and Rodler, ESA 2001; on GPUs Alcantara et al., Real-time Parallel
// Hashing on the GPU, 2009) finds a row in one of few slots, however full the table is: each
// row has a slot in each part of it. A kernel stores these slots before, for a row that takes
// a slot moves the one that was there. Where a walk of moves does not end, rows are left out,
// which the last slot of the table tells, and then the plan makes a table with linear probing.
//
// Equal keys need not meet while rows move, so a table may have several rows of one key. The
// least of them is there in any case; the others are removed afterwards.

const (
	// Each part has cuckooSlots slots for cuckooRows rows (Alcantara's load, which Hristov
	// takes, too), and some more, as few rows might have few slots to themselves.
	cuckooParts = 3
	cuckooSlots = 192
	cuckooRows  = 409
	cuckooSpare = 8
)

// cuckooSeeds are what hashes are mixed with for the slots of rows. Each but the first is for
// rows of which those before have left some out.
var cuckooSeeds = []uint64{0, 0x8cb92ba72f3d8dd7}

// newCuckooTable returns a cuckoo table of the rows with some keys, or one with linear
// probing.
func (o *ordering) newCuckooTable(keys []*ir.Value) rowTable {
	t := o.newLinearTable(keys)
	rows := o.cast(ir.U64, o.length(keys[0]))
	t.part = o.apply(ir.OpAdd, o.apply(ir.OpDiv, o.apply(ir.OpMul, rows, o.integer(rows, cuckooSlots)), o.integer(rows, cuckooRows)), o.integer(rows, cuckooSpare))
	t.part = o.apply(ir.OpLeast, t.part, o.integer(rows, mostSlots/cuckooParts))
	for seed := len(cuckooSeeds) - 1; seed >= 0; seed-- {
		t.rows = o.cuckooTable(t, seed)
	}
	made := o.gather(o.pos, t.rows, o.apply(ir.OpSub, o.length(t.rows), o.number(1)))
	isMade := o.apply(ir.OpNe, made, o.constant(ir.Int(made.Type.Kind, -1)))
	t.isDirect = o.apply(ir.OpLogicalAnd, isMade, o.apply(ir.OpNot, o.isTaken(made)))
	t.isDirect.Likely = true
	t.part = o.choose(t.isDirect, t.part, o.integer(t.part, 0)) // of no slots, all searches look at one
	t.seed = o.integer(t.part, cuckooSeeds[0])
	for i, seed := range cuckooSeeds[1:] {
		isUsed := o.apply(ir.OpEq, made, o.madeBy(made.Type.Kind, i+1))
		t.seed = o.choose(isUsed, o.integer(t.part, seed), t.seed)
	}
	return t
}

// cuckooTable returns the slots of a cuckoo table by a seed, or those of t if it leaves rows
// out. The last slot, which no row has, tells the seed.
func (o *ordering) cuckooTable(t rowTable, seed int) *ir.Value {
	otherwise, kind := t.rows, t.rows.Type.Kind
	t.seed = o.integer(t.part, cuckooSeeds[seed])
	size := o.apply(ir.OpAdd, o.apply(ir.OpMul, o.cast(ir.I64, t.part), o.number(cuckooParts)), o.number(1))
	homes := o.homes(t, o.words(o.sortKeysOf(t.keys)))
	for i, home := range homes {
		homes[i] = o.cast(kind, home)
	}
	args := append([]*ir.Value{homes[0], size}, homes[1:]...)
	t.rows = o.slots(ir.Value{Op: ir.OpCuckoo, Args: append(args, t.keys...), Split: cuckooParts, Type: ir.Type{Kind: kind}})
	last := o.gather(o.pos, t.rows, o.apply(ir.OpSub, size, o.number(1)))
	isComplete := o.apply(ir.OpEq, last, o.constant(ir.Int(kind, -1)))
	isBuilt := o.choose(isComplete, o.number(1), o.number(0))

	either := o.newDomain(ir.DomainEither, t.rows.Type.Domain.Name+"_made", t.keys[0].Type.Domain)
	isLast := o.apply(ir.OpEq, o.index(t.rows, t.rows.Type.Domain), o.apply(ir.OpSub, size, o.number(1)))
	made := o.choose(isLast, o.madeBy(kind, seed), o.leastRows(t))
	return o.either(isBuilt, made, otherwise, ir.Type{Kind: kind, Domain: either})
}

// madeBy is what the last slot of a complete cuckoo table has that a seed made. A table with
// linear probing has a row there, or -1.
func (o *ordering) madeBy(kind ir.Kind, seed int) *ir.Value {
	return o.constant(ir.Int(kind, int64(-2-seed)))
}

// homes returns the slots that rows with keys have in a cuckoo table, as unsigned integers.
func (o *ordering) homes(t rowTable, words []word) (list []*ir.Value) {
	first := o.apply(ir.OpXor, o.hashOf(words), t.seed)
	second := o.apply(ir.OpMul, o.apply(ir.OpXor, first, o.apply(ir.OpShr, first, o.integer(first, 29))), o.integer(first, 0xbf58476d1ce4e5b9))
	low := o.integer(first, math.MaxUint32)
	half := o.integer(first, 32)
	begin := o.integer(first, 0)
	for _, hash := range []*ir.Value{o.apply(ir.OpShr, first, half), o.apply(ir.OpShr, second, half), o.apply(ir.OpAnd, second, low)} {
		list = append(list, o.apply(ir.OpAdd, o.apply(ir.OpShr, o.apply(ir.OpMul, hash, t.part), half), begin))
		begin = o.apply(ir.OpAdd, t.part, begin)
	}
	return list
}

// homeIn returns a slot as a place in a table.
func (o *ordering) homeIn(slot, table *ir.Value) *ir.Value {
	slot = o.cast(ir.I64, slot)
	slot.Type.Target = table.Type.Domain
	return slot
}

// look is what a search for keys finds in a slot of a cuckoo table.
type look struct{ at, row, isFound *ir.Value }

// looks returns what searches for keys find in all their slots. Where no row is, row is none.
func (o *ordering) looks(t rowTable, keys []*ir.Value) (list []look) {
	words := o.words(o.sortKeysOf(keys))
	for _, home := range o.homes(t, words) {
		at := o.homeIn(home, t.rows)
		held := o.gather(o.pos, t.rows, at)
		row := o.cast(ir.I64, held)
		row.Type.Target = t.keys[0].Type.Domain
		of := make([]*ir.Value, len(t.keys))
		for i, key := range t.keys {
			of[i] = o.gather(o.pos, key, row)
		}
		isFound := o.isTaken(held)
		for i, w := range o.words(o.sortKeysOf(of)) {
			isFound = o.apply(ir.OpLogicalAnd, isFound, o.apply(ir.OpEq, w.value, words[i].value))
		}
		list = append(list, look{at, row, isFound})
	}
	return list
}

// cuckooSlot returns the slot of a cuckoo table with the row that has keys, or -1.
func (o *ordering) cuckooSlot(t rowTable, keys []*ir.Value) *ir.Value {
	slot := o.number(-1)
	for _, l := range o.looks(t, keys) {
		slot = o.choose(l.isFound, l.at, slot)
	}
	return slot
}

// cuckooCode returns the code of a key in a cuckoo table of words, or 0.
func (o *ordering) cuckooCode(t rowTable, keys []word, words *ir.Value) *ir.Value {
	code := o.constant(ir.Int(ir.U32, 0))
	for _, home := range o.homes(t, keys) {
		held := o.gather(o.pos, words, o.homeIn(home, words))
		isEqual := o.apply(ir.OpEq, o.apply(ir.OpShr, held, o.integer(held, codeBits)), o.cast(ir.U64, keys[0].value))
		code = o.apply(ir.OpOr, o.choose(isEqual, o.cast(ir.U32, held), o.integer(code, 0)), code) // a free slot has 0, whatever key that looks like
	}
	return code
}

// leastRows returns the rows of slots without those of whose keys a lesser row is in another.
func (o *ordering) leastRows(t rowTable) *ir.Value {
	isLeast, row := o.rowOfSlot(t)
	held := make([]*ir.Value, len(t.keys))
	for i, key := range t.keys {
		held[i] = o.gather(o.pos, key, row)
	}
	for _, l := range o.looks(t, held) {
		isLesser := o.apply(ir.OpLogicalAnd, l.isFound, o.apply(ir.OpLt, l.row, row))
		isLeast = o.apply(ir.OpLogicalAnd, isLeast, o.apply(ir.OpNot, isLesser))
	}
	return o.choose(isLeast, t.rows, o.constant(ir.Int(t.rows.Type.Kind, -1)))
}
