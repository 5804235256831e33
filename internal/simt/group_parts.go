package simt

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// A work-group groups the rows of a part, whose keys share their high bits. In local memory it has a bitmap of the others: how many
// bits before that of a key are set is the number of its group, in the order of keys. The folds of groups lie in local memory, too, of
// as many as there is room for at a time: if there are more, the rows are read again for the next. If they would be read more often than
// a sort moves them, nothing is grouped, and the number of groups says so.

// groupingParts is the scheme of kernels that group the rows of parts.
type groupingParts struct {
	flat
	op    *tile.Op
	parts partTables
	large string // buffer: see group_parts_large.go
}

// The size of work-groups if the schedule leaves it open, where a launch brings local memory.
const groupingWorkgroup = 256

// mostFolded is of how many groups folds lie in local memory at most, and groupingBudget for how many bytes in all, if a launch
// brings these: a compute unit of a large GPU then runs three work-groups, and five with a sum and a count.
const mostFolded, groupingBudget = 2048, 66 << 10

// mostRounds is how many times the rows of a part are read for folds at most.
const mostRounds = 4

// leastSharedBits is how many high bits keys of a part share at least: their bitmap takes 8 KiB then.
const leastSharedBits = 16

// partTables are what lies in local memory of a part: in words of 32 bits the bitmap, as many numbers of bits before its words, and the
// folds of some groups.
type partTables struct {
	words  int64 // of the bitmap
	folds  []*localTable
	groups int64 // of which there are folds
	bytes  int64
}

// groupingFamily is what kernels have that group the rows of parts, whatever scheme the schedule names.
var groupingFamily = family{
	shape: func(l *lowering, t *tile.Kernel, s shape) (shape, error) {
		s.items = 1
		if s.isOpen && l.target.LaunchedLocal > 0 && l.suffix == "" {
			s.workgroup = groupingWorkgroup
		} else if s.isOpen {
			s.workgroup = flatWorkgroup
		}
		l.asksMuch = l.asksMuch || s.workgroup > flatWorkgroup || l.partTables(t).bytes > fallbackBudget
		return s, nil
	},
	lower: func(s *launches) scheme {
		return &groupingParts{flat: flat{s}, op: &s.Ops[groupsParts(s.Kernel)], parts: s.partTables(s.Kernel)}
	},
}

func groupsParts(t *tile.Kernel) int {
	return slices.IndexFunc(t.Ops, func(op tile.Op) bool { return op.GroupsParts() })
}

// partTables lays out the local memory of a kernel that groups parts.
func (l *lowering) partTables(t *tile.Kernel) partTables {
	op := &t.Ops[groupsParts(t)]
	p := partTables{words: 1 << (keyBits - op.PartBits) / bitmapBits, bytes: l.budget() - scanBytes}
	if l.target.LaunchedLocal > 0 && l.suffix == "" {
		p.bytes = min(groupingBudget, l.target.LaunchedLocal)
	}
	perGroup := int64(0)
	for _, f := range op.Folds {
		form := formOfFold(f)
		copied, single := form.words()
		perGroup += int64(copied+single) * 4
		p.folds = append(p.folds, &localTable{form: form, copies: 1})
	}
	at := 2 * p.words
	p.groups = mostFolded
	if perGroup > 0 {
		p.groups = min(p.groups, (p.bytes-at*4)/perGroup/16*16)
	}
	for _, table := range p.folds {
		copied, single := table.form.words()
		table.at, table.elements = at, p.groups
		at += p.groups * int64(copied+single)
	}
	p.bytes = at * 4
	return p
}

// The bits of a key and of a word of a bitmap, and bytes that a scan of the work-group takes, and more.
const keyBits, bitmapBits, scanBytes = 32, 32, 4 << 10

// formOfFold returns the form of the elements of a fold.
func formOfFold(f tile.PartFold) elementForm {
	form := formFor(f.Monoid, f.Monoid.Fields[0].Kind, false)
	if sum, ok := form.(sumForm); ok && f.From == tile.OnlyRows {
		return tallyForm{countForm(sum)}
	}
	return form
}

// isOfWords64 reports whether elements are words of 64 bits.
func isOfWords64(form elementForm) bool {
	f, ok := form.(exchangedForm)
	return ok && f.kind.Size() == 8
}

// tallyForm is a count to which several rows are added at once.
type tallyForm struct{ countForm }

func (tallyForm) combine(v elementView, x loop.Expr) {
	words, at := v.word(ir.U32, v.copy)
	v.b.Atomic(loop.AtomicAdd, words, at, loop.ToKind(ir.U32, x))
}

func (s *groupingParts) meets() tile.Demands { return tile.Tables | tile.InOrder }

func (s *groupingParts) refuse() error {
	if s.op.PartBits < leastSharedBits || s.op.Places != tile.NoPlaces {
		return fmt.Errorf("kernel %s: keys of a part differ in more bits than local memory has a bitmap for", s.Name)
	}
	return nil
}

func (s *groupingParts) prepare() {
	s.op.Monoid = tile.NewFold(ir.ReduceAdd, ir.I64) // of the bits that are set
	s.addBitmaps()
}

func (s *groupingParts) describe(v *plan.Variant) {
	s.flat.describe(v)
	if s.target.LaunchedLocal > 0 && s.parts.bytes+scanBytes > ownBudget { // with what else lies there
		v.LocalBytes = plan.Const(s.parts.bytes)
	}
}

func (s *groupingParts) main() {
	s.markLarge()
	g := s.part(s.Name, true)
	g.ofPart(&loop.ID{Kind: loop.WorkgroupID})
	g.group()
	s.launchTiles(g.function, launch{workgroup: s.workgroup, grid: plan.Rows(), describe: s.describe})
	if len(s.op.Folds) > 0 {
		s.foldLarge()
	}
}

// groupedPart writes what a work-group does with rows of a part.
type groupedPart struct {
	*rowBody
	of          *groupingParts
	op          *tile.Op
	tables      partTables
	memory      *loop.Var // words of 32 bits in local memory
	part        loop.Expr
	first, end  loop.Expr // its rows
	begin, stop loop.Expr // those of them that are at hand
	rows        loop.Expr // how many these are
	keys        *loop.Var // of the work-item's rows at hand
	elements    map[int]*loop.Var
	from        *loop.Var // the number of the first group whose folds are in local memory
	few         loop.Expr // how many these are
}

// rowsAtOnce is how many rows of a work-item are loaded before they are used.
const rowsAtOnce = 8

// part begins a function, which folds rows or has but a bitmap.
func (s *groupingParts) part(name string, folds bool) *groupedPart {
	e := s.function(name)
	e.until, e.effects = 1, true
	e.begin()
	g := &groupedPart{rowBody: e, of: s, op: s.op, tables: s.parts, elements: map[int]*loop.Var{}}
	g.keys = e.b.Storage("keys", loop.ArrayOf(rowsAtOnce, loop.ScalarOf(ir.U32)))
	if !folds {
		g.memory = e.localArray(arenaName, ir.U32, int(s.parts.words))
		return g
	}
	g.memory = e.localArray(arenaName, ir.U32, int(s.parts.bytes/4))
	e.localTables = &localTables{tables: s.parts.folds, words: map[ir.Kind]*loop.Var{ir.U32: g.memory}}
	if slices.ContainsFunc(s.parts.folds, func(t *localTable) bool { return isOfWords64(t.form) }) {
		e.localTables.words[ir.U64] = e.arenaView(g.memory, ir.U64)
	}
	for _, f := range g.op.Folds {
		if f.From != tile.OnlyRows && g.elements[f.From] == nil {
			g.elements[f.From] = e.b.Storage("elements", loop.ArrayOf(rowsAtOnce, loop.ScalarOf(e.Streams[f.From].Kind)))
		}
	}
	return g
}

// boundOf returns an operand of the operation, of some part.
func (g *groupedPart) boundOf(operand int, part loop.Expr) loop.Expr {
	column := &g.Ops[g.Values[g.op.Args[operand]].Op]
	return loop.ToCounter(loop.At(g.stream(column.Stream), part))
}

// ofPart begins with all rows of a part.
func (g *groupedPart) ofPart(part loop.Expr) {
	g.part = part
	g.first, g.end = g.b.Let("begin", g.boundOf(0, part)), g.b.Let("end", g.boundOf(1, part))
	g.begin, g.stop = g.first, g.end
}

// group writes nothing but that there is no group if the part has no rows.
func (g *groupedPart) group() {
	g.b.If(loop.Lt(g.first, g.end), g.groupRows, func() { g.tell(loop.Int(0)) })
}

func (g *groupedPart) groupRows() {
	isLarge := g.b.Let("is_large", g.isLarge())
	g.b.If(isLarge, g.readBitmap, g.markRows)
	g.barrier()
	groups := g.number(g.storeKeys())
	if len(g.op.Folds) == 0 {
		g.tell(groups)
		return
	}
	fits := g.b.Let("fits", g.fits(groups))
	g.tell(loop.Choose(fits, groups, loop.Int(tile.TooManyGroups)))
	g.b.If(fits, func() {
		g.b.If(isLarge, func() { g.beginFolds(groups) }, func() {
			g.eachRound(groups, func(k int, place, x loop.Expr) {
				to := g.stream(g.op.Folds[k].To)
				g.b.Store(to, place, loop.To(to.T.Elem(), x))
			})
		})
	}, nil)
}

// fits returns whether so many groups take no more rounds than are worth it.
func (g *groupedPart) fits(groups loop.Expr) loop.Expr {
	return loop.Le(groups, loop.Int(mostRounds*g.tables.groups))
}

// markRows makes a bitmap of the rows at hand.
func (g *groupedPart) markRows() {
	g.eachPlace(loop.Int(g.tables.words), func(at loop.Expr) { g.b.Store(g.memory, at, number(ir.U32, 0)) })
	g.barrier()
	g.eachRows(false, func(_, _ loop.Expr) {
		g.eachOf(func(i loop.Expr) { g.mark(loop.At(g.keys, i)) })
	})
}

// eachRound folds the rows at hand, as many groups at a time as there is room for, and calls leave for the fold of each.
func (g *groupedPart) eachRound(groups loop.Expr, leave func(k int, place, x loop.Expr)) {
	g.from = g.b.Decl("from", loop.Int(0))
	g.b.While(loop.Lt(g.from, groups), func() {
		g.few = g.b.Let("few", loop.Least(loop.Sub(groups, g.from), loop.Int(g.tables.groups)))
		g.eachPlace(g.few, func(at loop.Expr) {
			for _, table := range g.tables.folds {
				table.form.begin(g.element(table, at))
			}
		})
		g.barrier()
		g.fold()
		g.barrier()
		g.eachPlace(g.few, func(at loop.Expr) {
			place := g.b.Let("place", loop.Add(loop.Add(g.first, g.from), at))
			for k, table := range g.tables.folds {
				leave(k, place, table.form.value(g.element(table, at)))
			}
		})
		g.barrier()
		g.b.Assign(g.from, loop.Add(g.from, loop.Int(g.tables.groups)))
	})
}

func (g *groupedPart) element(table *localTable, at loop.Expr) elementView {
	return elementView{g.function, table, at, loop.Int(1), loop.Int(0)}
}

// eachRows calls body for a few rows of the work-item after the others, whose keys are loaded, and elements if there is need: that at a place among the rows at
// hand and those a work-group further each. For places behind the last there is that. All work-items call it as often; areAll tells whether there is a row in all places.
func (g *groupedPart) eachRows(elements bool, body func(at, areAll loop.Expr)) {
	words := g.stream(g.op.Keys[0])
	several := loop.Int(int64(rowsAtOnce * g.workgroup))
	g.rows = g.b.Let("rows_at_hand", loop.Sub(g.stop, g.begin))
	next := g.b.Decl("next", loop.Int(0))
	g.b.While(loop.Lt(next, g.rows), func() {
		at := g.b.Let("at", loop.Add(next, g.localID))
		g.eachOf(func(i loop.Expr) {
			row := g.b.Let("row", loop.Add(g.begin, loop.Least(g.placeOf(at, i), loop.Sub(g.rows, loop.Int(1)))))
			g.b.Store(g.keys, i, keyOfWord(loop.At(words, row)))
			if elements {
				for _, s := range slices.Sorted(maps.Keys(g.elements)) {
					g.b.Store(g.elements[s], i, loop.At(g.stream(s), row))
				}
			}
		})
		behind := g.b.Let("behind", loop.Add(next, several))
		body(at, g.b.Let("are_all", loop.Le(behind, g.rows)))
		g.b.Assign(next, behind)
	})
}

func (g *groupedPart) eachOf(body func(i loop.Expr)) {
	g.b.For("i", loop.Int(0), loop.Int(rowsAtOnce), func(i *loop.Var) { body(i) })
}

// placeOf returns the place of one of a few rows.
func (g *groupedPart) placeOf(at, i loop.Expr) loop.Expr {
	return loop.Add(at, loop.Mul(i, loop.Int(int64(g.workgroup))))
}

// keyOfWord returns the key of a word.
func keyOfWord(word loop.Expr) loop.Expr {
	if word.Type().Kind == ir.U64 {
		word = loop.Apply(ir.OpShr, word, number(ir.U64, keyBits))
	}
	return loop.ToKind(ir.U32, word)
}

// bit returns the word of the bitmap that has the bit of a key, and that bit.
func (g *groupedPart) bit(key loop.Expr) (at, bit loop.Expr) {
	low := loop.Apply(ir.OpAnd, key, number(ir.U32, g.tables.words*bitmapBits-1))
	at = g.b.Let("word", loop.ToCounter(loop.Apply(ir.OpShr, low, number(ir.U32, 5))))
	bit = g.b.Let("bit", loop.Apply(ir.OpShl, number(ir.U32, 1), loop.Apply(ir.OpAnd, key, number(ir.U32, bitmapBits-1))))
	return at, bit
}

// mark sets the bit of a key. Most rows of a group find it set.
func (g *groupedPart) mark(key loop.Expr) {
	at, bit := g.bit(g.b.Let("key", key))
	isFree := loop.Eq(loop.Apply(ir.OpAnd, loop.VolatileAt(g.memory, at), bit), number(ir.U32, 0))
	g.b.If(isFree, func() { g.b.Atomic(loop.AtomicOr, g.memory, at, bit) }, nil)
}

// eachWord calls body for the words of the bitmap that are the work-item's, which lie together.
func (g *groupedPart) eachWord(body func(at loop.Expr)) {
	perItem := (g.tables.words + int64(g.workgroup) - 1) / int64(g.workgroup)
	g.b.For("i", loop.Int(0), loop.Int(perItem), func(i *loop.Var) {
		at := g.b.Let("word", loop.Add(loop.Mul(g.localID, loop.Int(perItem)), i))
		if perItem*int64(g.workgroup) == g.tables.words {
			body(at)
			return
		}
		g.b.If(loop.Lt(at, loop.Int(g.tables.words)), func() { body(at) }, nil)
	})
}

// number tells each word of the bitmap how many bits before are set, and returns how many there are. Each is called for words and that number.
func (g *groupedPart) number(each func(at, group loop.Expr)) loop.Expr {
	st := single(g.kernel, slot{stateKey: stateKey{groupsParts(g.Kernel), 0}, kind: ir.I32, counts: true})
	mine := g.declare(st, st.identities())[0]
	bitsOf := func(at loop.Expr) loop.Expr {
		return loop.ToKind(ir.I32, loop.Apply(ir.OpPopcount, loop.At(g.memory, at)))
	}
	g.eachWord(func(at loop.Expr) { g.b.Assign(mine, loop.Add(mine, bitsOf(at))) })
	before, total := g.blockScan(st, []loop.Expr{mine}, duringScan{})
	sum := g.localArray("groups", ir.I32, 1)
	g.b.If(loop.Eq(g.localID, loop.Int(0)), func() { g.b.Store(sum, loop.Int(0), total[0]) }, nil)
	next := g.b.Decl("next", before[0])
	g.eachWord(func(at loop.Expr) {
		g.b.Store(g.memory, loop.Add(loop.Int(g.tables.words), at), loop.ToKind(ir.U32, next))
		each(at, loop.ToCounter(next))
		g.b.Assign(next, loop.Add(next, bitsOf(at)))
	})
	g.barrier()
	return g.b.Let("groups_of_part", loop.ToCounter(loop.At(sum, loop.Int(0))))
}

// storeKeys returns what stores the keys of a word of the bitmap, of which the first has a number.
func (g *groupedPart) storeKeys() func(at, first loop.Expr) {
	high := g.b.Let("high", loop.Apply(ir.OpAnd, keyOfWord(loop.At(g.stream(g.op.Keys[0]), g.first)), number(ir.U32, -(g.tables.words*bitmapBits))))
	to := g.stream(g.op.Stream)
	return func(at, first loop.Expr) {
		left, group := g.b.Decl("left", loop.At(g.memory, at)), g.b.Decl("group", first)
		low := g.b.Let("low", loop.Apply(ir.OpOr, high, loop.Apply(ir.OpShl, loop.ToKind(ir.U32, at), number(ir.U32, 5))))
		g.b.While(loop.Ne(left, number(ir.U32, 0)), func() {
			bit := g.b.Let("bit", loop.Apply(ir.OpTrailingzeros, left))
			g.b.Store(to, loop.Add(g.first, group), loop.Apply(ir.OpOr, low, loop.ToKind(ir.U32, bit)))
			g.b.Assign(left, loop.Apply(ir.OpAnd, left, loop.Sub(left, number(ir.U32, 1))))
			g.b.Assign(group, loop.Add(group, loop.Int(1)))
		})
	}
}

// tell stores how many groups the part has.
func (g *groupedPart) tell(groups loop.Expr) {
	g.b.If(loop.Eq(g.localID, loop.Int(0)), func() {
		for i := range g.Ops {
			if op := &g.Ops[i]; op.Kind == tile.Store && op.Args[0] == g.op.Res[0] {
				to := g.stream(op.Stream)
				g.b.Store(to, g.part, loop.To(to.T.Elem(), groups))
			}
		}
	}, nil)
}

// groupOf returns the number of the group of a key among those whose folds are in local memory.
func (g *groupedPart) groupOf(key loop.Expr) loop.Expr {
	at, bit := g.bit(key)
	before := loop.At(g.memory, loop.Add(loop.Int(g.tables.words), at))
	bits := loop.Apply(ir.OpPopcount, loop.Apply(ir.OpAnd, loop.At(g.memory, at), loop.Sub(bit, number(ir.U32, 1))))
	return g.b.Let("group", loop.Sub(loop.ToCounter(loop.Add(before, loop.ToKind(ir.U32, bits))), g.from))
}
