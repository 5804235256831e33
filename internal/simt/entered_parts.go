package simt

import (
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// A work-group makes the part of a hash table that its tile is, in local memory, and writes it once. Rows that want one
// of its slots lie together. A few find no slot up to the end of the tile: these take slots behind, in
// local memory alone, and a work-item of a further launch enters them where the next tile begins. If there are too many for that, it enters
// all rows of the tile that have no slot, one after the other.

// enteringParts is the scheme of kernels that make a hash table by parts.
type enteringParts struct {
	flat
	op      *tile.Op
	behind  string // buffer: of each tile, the words that have no slot in it, side by side with those of other tiles
	crowded string // buffer: of each tile, 1 if words found no place behind either
	alike   string // buffer: see entered_alike.go
}

// The shape of a tile if the schedule leaves it open. With 8 slots of a work-item, rows of 2^28 slots, 4,096 of which are of one part, are read twice.
const (
	partWorkgroup = 256
	partItems     = 16
)

// placesBehind is how many words have places behind a tile. Where half of the slots are taken, and hashes are random, one in 10^35 tiles
// needs more.
const placesBehind = 64

// enteringFamily is what kernels have that make a hash table by parts, whatever scheme the schedule names.
var enteringFamily = family{
	shape: func(l *lowering, _ *tile.Kernel, s shape) (shape, error) {
		if s.isOpen {
			s.workgroup = partWorkgroup
		}
		if s.items == 0 {
			s.items = partItems
		}
		for s.items > 1 && s.partBytes() > s.budget {
			s.items /= 2
		}
		return s, nil
	},
	lower: func(s *launches) scheme {
		return &enteringParts{flat: flat{s}, op: &s.Ops[slices.IndexFunc(s.Ops, func(op tile.Op) bool { return op.EntersParts() })]}
	},
}

// partBytes returns the local memory that the words of a tile take.
func (s shape) partBytes() int64 {
	return (int64(s.workgroup*s.items) + placesBehind) * int64(ir.U64.Size())
}

func (s *enteringParts) meets() tile.Demands { return tile.Tables | tile.InOrder }

func (s *enteringParts) prepare() {
	s.behind, s.crowded = s.fresh(s.Name+"_behind"), s.fresh(s.Name+"_crowded")
	s.addBuffer(plan.Buffer{Name: s.behind, Kind: plan.U64, Role: plan.Temporary, Length: plan.Mul(s.tiles, plan.Const(placesBehind))})
	s.addBuffer(plan.Buffer{Name: s.crowded, Kind: plan.U32, Role: plan.Temporary, Length: s.tiles})
	s.alike = s.fresh(s.Name + "_hashes")
	s.addBuffer(plan.Buffer{Name: s.alike, Kind: plan.U64, Role: plan.Temporary, Length: s.blocksOfHashes()})
}

func (s *enteringParts) main() {
	s.findAlike(s.part(s.function(s.Name + "_alike")))

	e := s.part(s.function(s.Name))
	e.tileRows()
	s.enterTogether(e)
	s.launchRows(e.function, plan.Expr{}, plan.ForwardNone)

	e = s.part(s.function(s.Name + "_rest"))
	e.tile = e.b.Let("tile", loop.Add(loop.Mul(&loop.ID{Kind: loop.WorkgroupID}, loop.Int(int64(s.workgroup))), e.localID))
	e.b.If(loop.Lt(e.tile, e.tiles), func() {
		e.tileRows()
		s.enterRest(e)
	}, nil)
	s.addLaunch(e.function, launch{workgroup: s.workgroup, grid: plan.CeilDiv(s.tiles, plan.Const(int64(s.workgroup))), describe: s.describe, step: func(kernel string, _ plan.Schedule) plan.Step {
		return plan.Step{Launch: &plan.Launch{Kernel: kernel, Rows: s.span}}
	}})
}

// partBody is a function that enters rows of a part.
type partBody struct {
	*rowBody
	op    *tile.Op
	tiles loop.Expr
	shift loop.Expr // of hashes, beyond which slots begin
}

// part begins a function.
func (s *enteringParts) part(e *rowBody) *partBody {
	e.until, e.effects = 1, true
	e.begin()
	e.tile = e.b.Let("tile", &loop.ID{Kind: loop.WorkgroupID})
	return &partBody{e, s.op, loop.ToCounter(e.arguments.value("tiles", s.tiles)), e.b.Let("shift", loop.ToKind(ir.U32, e.expr(s.op.Args[0])))}
}

// rows returns the rows that may want a slot of the tile: those of all parts whose hashes do.
func (e *partBody) rows() (begin, end loop.Expr) {
	ends := e.stream(e.op.Keys[0])
	hash := func(slot loop.Expr) loop.Expr { // the least one of the slot
		return loop.Apply(ir.OpShl, loop.ToKind(ir.U64, slot), loop.ToKind(ir.U64, e.shift))
	}
	part := func(hash loop.Expr) loop.Expr {
		return loop.ToCounter(loop.Apply(ir.OpShr, hash, number(ir.U64, hashBits-int64(e.op.PartBits))))
	}
	last := loop.Sub(loop.Add(e.first, e.count), loop.Int(1))
	if e.op.Bucket > 0 { // the last one is where rows want all slots of its bucket
		last = loop.Apply(ir.OpOr, last, loop.Int(int64(e.op.Bucket-1)))
	}
	first := e.b.Let("first_part", part(hash(e.first)))
	begun := e.b.Decl("begin", number(ir.I64, 0))
	e.b.If(loop.Gt(first, loop.Int(0)), func() { e.b.Assign(begun, loop.At(ends, loop.Sub(first, loop.Int(1)))) }, nil)
	lastPart := e.b.Let("last_part", part(loop.Sub(hash(loop.Add(last, loop.Int(1))), number(ir.U64, 1))))
	return e.b.Let("begin_row", loop.ToCounter(begun)), e.b.Let("end_row", loop.ToCounter(loop.At(ends, lastPart)))
}

// hashBits are those of a hash.
const hashBits = 32

// wanted returns the slot that a row with a hash wants, counted from the first one of the tile.
func (e *partBody) wanted(hash loop.Expr) loop.Expr {
	slot := loop.ToCounter(loop.Apply(ir.OpShr, hash, e.shift))
	if e.op.Bucket > 0 {
		slot = loop.Apply(ir.OpAnd, slot, loop.Int(-int64(e.op.Bucket)))
	}
	return e.b.Let("wanted", loop.Sub(slot, e.first))
}

// isInside returns whether a slot, counted from the first one of the tile, is one of the tile.
func (e *partBody) isInside(slot loop.Expr) loop.Expr {
	return loop.And(loop.Ge(slot, loop.Int(0)), loop.Lt(slot, e.count))
}

// wordOfHash returns a word of a hash and 32 bits below.
func wordOfHash(hash, low loop.Expr) loop.Expr {
	high := loop.Apply(ir.OpShl, loop.ToKind(ir.U64, hash), number(ir.U64, hashBits))
	return loop.Apply(ir.OpOr, high, loop.ToKind(ir.U64, low))
}

// hashOfWord returns its hash.
func hashOfWord(word loop.Expr) loop.Expr {
	return loop.Apply(ir.OpShr, word, number(ir.U64, hashBits))
}

// enterTogether makes the part of the table. While it is in local memory, its words have hashes above numbers of rows, from 1 on.
func (s *enteringParts) enterTogether(e *partBody) {
	codes := e.stream(e.op.Keys[2])
	words := e.localArray("words", ir.U64, int(e.kernel.rows())+placesBehind)
	crowded := e.localArray("crowded", ir.U32, 1)
	places := e.b.Let("places", loop.Add(e.count, loop.Int(placesBehind)))
	begin, end := e.rows()
	each := func(from, to loop.Expr, body func(at *loop.Var)) {
		at := e.b.Decl("at", loop.Add(from, e.localID))
		e.b.While(loop.Lt(at, to), func() {
			body(at)
			e.b.Assign(at, loop.Add(at, loop.Int(int64(e.workgroup))))
		})
	}
	each(loop.Int(0), places, func(at *loop.Var) { e.b.Store(words, at, number(ir.U64, 0)) })
	e.b.If(loop.Eq(e.localID, loop.Int(0)), func() { e.b.Store(crowded, loop.Int(0), number(ir.U32, 0)) }, nil)
	e.barrier()
	e.enterAlone(s, words, crowded, begin, end, places)
	e.barrier()
	table := e.stream(e.op.Stream)
	rest := e.arguments.buffer(s.behind, ir.U64, plan.Writes)
	each(loop.Int(0), places, func(at *loop.Var) {
		word := e.b.Decl("made", loop.At(words, at))
		e.b.If(loop.Ne(word, number(ir.U64, 0)), func() {
			row := loop.Add(begin, loop.Sub(loop.ToCounter(loop.ToKind(ir.U32, word)), loop.Int(1)))
			e.b.Assign(word, wordOfHash(hashOfWord(word), loop.At(codes, row)))
		}, nil)
		e.b.If(loop.Lt(at, e.count), func() { e.b.Store(table, loop.Add(e.first, at), word) }, func() {
			e.b.Store(rest, e.behindAt(loop.Sub(at, e.count)), word)
		})
	})
	e.b.If(loop.Eq(e.localID, loop.Int(0)), func() {
		e.b.Store(e.arguments.buffer(s.crowded, ir.U32, plan.Writes), e.tile, loop.At(crowded, loop.Int(0)))
	}, nil)
}

// hashesAhead is how many rows ahead of its own a work-item loads hashes.
const hashesAhead = 4

// enterAlone enters rows of a work-item. It goes on to the next one as soon as a row is in, whatever its neighbours do.
func (e *partBody) enterAlone(s *enteringParts, words, crowded *loop.Var, begin, end, places loop.Expr) {
	hashes := e.stream(e.op.Keys[1])
	zero, workgroup := number(ir.U32, 0), loop.Int(int64(e.workgroup))
	row := e.b.Decl("row", loop.Add(begin, e.localID))
	load := func(hash *loop.Var, ahead int) {
		at := e.b.Let("at_row", loop.Add(row, loop.Int(int64(ahead*e.workgroup))))
		e.b.Assign(hash, zero)
		e.b.If(loop.Lt(at, end), func() { e.b.Assign(hash, loop.At(hashes, at)) }, nil)
	}
	queue := make([]*loop.Var, 1+hashesAhead) // of the row at hand, and those behind
	for i := range queue {
		queue[i] = e.b.Decl("hash", zero)
		load(queue[i], i)
	}
	hash := queue[0]
	start := func() loop.Expr { // -1 of a row that wants a slot of another tile
		wanted := e.wanted(hash)
		return loop.Choose(e.isInside(wanted), wanted, loop.Int(-1))
	}
	at := e.b.Decl("place", start())
	e.b.While(loop.Lt(row, end), func() {
		isOut := e.b.Let("is_out", loop.Or(loop.Lt(at, loop.Int(0)), loop.Ge(at, places)))
		isDone := e.b.Decl("is_done", isOut)
		e.b.If(loop.Eq(at, places), func() { e.b.Atomic(loop.AtomicExchange, crowded, loop.Int(0), number(ir.U32, 1)) }, nil)
		e.b.If(loop.Not(isOut), func() {
			free := number(ir.U64, 0)
			word := e.b.Let("word", wordOfHash(hash, loop.Add(loop.ToKind(ir.U32, loop.Sub(row, begin)), number(ir.U32, 1))))
			held := e.b.Decl("held", loop.VolatileAt(words, at))
			e.b.If(loop.Eq(held, free), func() { e.b.Assign(held, e.b.CompareExchange("before", words, at, free, word)) }, nil)
			isSame := e.b.Let("is_same", loop.Eq(hashOfWord(held), loop.ToKind(ir.U64, hash)))
			e.b.If(loop.And(isSame, loop.Lt(word, held)), func() { e.b.Atomic(loop.AtomicMin, words, at, word) }, nil)
			e.b.Assign(isDone, loop.Or(isSame, loop.Eq(held, free)))
		}, nil)
		e.b.If(isDone, func() {
			entered := e.b.Let("entered", hash)
			e.b.Assign(row, loop.Add(row, workgroup))
			for i := range hashesAhead {
				e.b.Assign(queue[i], queue[i+1])
			}
			load(queue[hashesAhead], hashesAhead)
			areAlike := loop.And(loop.Eq(hash, entered), loop.Eq(queue[hashesAhead], entered))
			e.b.If(areAlike, func() {
				e.passAlike(s, row, end, entered)
				for i := range queue {
					load(queue[i], i)
				}
			}, nil)
			e.b.Assign(at, start())
		}, func() { e.b.Assign(at, loop.Add(at, loop.Int(1))) })
	})
}

// behindAt returns where the words of a place behind the tile lie.
func (e *partBody) behindAt(place loop.Expr) loop.Expr {
	return loop.Add(loop.Mul(place, e.tiles), e.tile)
}

// enterRest enters the words that have no slot in the tile behind it, and around the end of the table. Nobody else has their hashes.
func (s *enteringParts) enterRest(e *partBody) {
	stream := e.Streams[e.op.Stream]
	table := e.arguments.buffer(stream.Buffer, stream.Kind, plan.ReadsWrites)
	slots := e.b.Let("slots", e.arguments.rows)
	behind, crowded := e.arguments.buffer(s.behind, ir.U64, plan.Reads), e.arguments.buffer(s.crowded, ir.U32, plan.Reads)
	enter := func(from, word loop.Expr) {
		at := e.b.Decl("at", from)
		e.b.While(loop.True, func() {
			e.b.If(loop.Eq(at, slots), func() { e.b.Assign(at, loop.Int(0)) }, nil)
			held := e.b.Decl("held", loop.VolatileAt(table, at))
			e.b.If(loop.Eq(held, number(ir.U64, 0)), func() {
				e.b.Assign(held, e.b.CompareExchange("before", table, at, number(ir.U64, 0), word))
			}, nil)
			e.b.If(loop.Or(loop.Eq(held, number(ir.U64, 0)), loop.Eq(hashOfWord(held), hashOfWord(word))), func() { e.b.Break() }, nil)
			e.b.Assign(at, loop.Add(at, loop.Int(1)))
		})
	}
	e.b.For("place", loop.Int(0), loop.Int(placesBehind), func(place *loop.Var) {
		word := e.b.Let("word", loop.At(behind, e.behindAt(place)))
		e.b.If(loop.Eq(word, number(ir.U64, 0)), func() { e.b.Break() }, nil)
		enter(loop.Add(e.first, e.count), word)
	})
	e.b.If(loop.Ne(loop.At(crowded, e.tile), number(ir.U32, 0)), func() {
		hashes, codes := e.stream(e.op.Keys[1]), e.stream(e.op.Keys[2])
		begin, end := e.rows()
		row := e.b.Decl("row", begin)
		e.b.While(loop.Lt(row, end), func() {
			hash := e.b.Let("hash", loop.At(hashes, row))
			wanted := e.wanted(hash)
			e.b.If(e.isInside(wanted), func() {
				enter(loop.Add(e.first, wanted), e.b.Let("entered", wordOfHash(hash, loop.At(codes, row))))
			}, nil)
			e.b.Assign(row, loop.Add(row, loop.Int(1)))
		})
	}, nil)
}
