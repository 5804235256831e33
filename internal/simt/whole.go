package simt

import (
	"maps"
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// The rows of whole tiles are written anew for what is likely of the conditions that are
// known before the rows, as whether the slots of a table are keys: loads of several rows
// overlap where no branch is between them. Where keys are hashed after all, and the kernel has
// a cut, so that fewer work-items run at once, or few rows of a work-item, of which neighbours are added up or which search alone, the
// first words that a few rows look at are loaded ahead of the searches.

// An assumption says which of the likely conditions hold.
type assumption map[tile.ID]*loop.Const

// assumptions returns those for which the rows of whole tiles are written, the likeliest
// first.
func (e *rowBody) assumptions() []assumption {
	likely, hashed := assumption{}, assumption{}
	isHashed := false
	for v := range e.uniform {
		if !e.Values[v].Likely {
			continue
		}
		likely[v], hashed[v] = loop.True, loop.True
		for i := range e.Ops {
			if op := &e.Ops[i]; op.Kind == tile.Match && op.Args[2] == v {
				hashed[v], isHashed = loop.False, isHashed || e.phase[i] == e.now && (len(e.cuts) > 0 || e.mostTogether() > 0 || e.lone.ahead > 0)
			}
		}
	}
	if !isHashed {
		return []assumption{likely}
	}
	return []assumption{likely, hashed}
}

// assuming writes rows for which a condition holds under each of some assumptions, and all others without.
func (e *rowBody) assuming(condition loop.Expr, list []assumption, whole, other func()) {
	if len(list) == 0 {
		other()
		return
	}
	any, assumed := e.uniform, maps.Clone(e.uniform)
	holds := condition
	for _, v := range slices.Sorted(maps.Keys(list[0])) {
		isAsAssumed := any[v]
		if list[0][v] == loop.False {
			isAsAssumed = loop.Not(isAsAssumed)
		}
		holds, assumed[v] = loop.And(holds, isAsAssumed), list[0][v]
	}
	e.b.If(holds, func() {
		e.uniform = assumed
		whole()
		e.uniform = any
	}, func() { e.assuming(condition, list[1:], whole, other) })
}

// mostAhead is how many rows of a work-item load their first words ahead, and mostWords how many words those of one search are
// together: a few loads overlap, and registers are left.
const mostAhead, mostWords = 4, 8

// eachFew runs body for each few of this work-item's rows, up to most, all of which exist if the tile is
// whole, with a function that calls another for each of them.
func (e *rowBody) eachFew(most int, whole bool, body func(few int, each func(body func(i *loop.Var)))) {
	few := most
	for e.items%few != 0 {
		few--
	}
	e.b.For("few", loop.Int(0), loop.Int(int64(e.items/few)), func(number *loop.Var) {
		body(few, func(row func(i *loop.Var)) {
			e.b.For("i", loop.Int(0), loop.Int(int64(few)), func(i *loop.Var) {
				item := e.b.Let("item", loop.Add(loop.Mul(number, loop.Int(int64(few))), i))
				e.atItem(item, whole, func() { row(i) })
			})
		})
	})
}

// eachWhole runs body for each of this work-item's rows, in a whole tile. Rows that
// search in hash tables go by a few, which load the first words that they look at.
func (e *rowBody) eachWhole(body func()) {
	var searches []int
	for i := range e.Ops {
		op := &e.Ops[i]
		if op.Kind == tile.Match && e.phase[i] == e.now && op.Domain == 0 && e.looksAhead(op) {
			searches = append(searches, i)
		}
	}
	if len(searches) == 0 {
		e.eachGathered(body)
		return
	}
	e.eachFew(e.rowsAhead(searches), true, func(few int, each func(body func(i *loop.Var))) {
		memory := map[int]*loop.Var{}
		at := func(row *loop.Var, i, word int) (*loop.Var, loop.Expr) {
			count := e.matched(&e.Ops[i]).Words()
			return memory[i], loop.Add(loop.Mul(row, loop.Int(int64(count))), loop.Int(int64(word)))
		}
		for _, i := range searches {
			memory[i] = e.b.Storage("first_words", loop.ArrayOf(few*e.matched(&e.Ops[i]).Words(), loop.ScalarOf(ir.U64)))
		}
		each(func(row *loop.Var) {
			for _, i := range searches {
				op := &e.Ops[i]
				slot := e.expr(op.Args[0])
				if e.matched(op).Words() == 1 {
					slot = loop.To(e.indexOf(op.Stream), slot)
				} else {
					slot = e.b.Let("first_slot", slot)
				}
				for word, x := range e.matched(op).Load(e.b, slot) {
					held, place := at(row, i, word)
					e.b.Store(held, place, x)
				}
			}
		})
		each(func(row *loop.Var) {
			for _, i := range searches {
				e.firstWords[i] = nil
				for word := range e.matched(&e.Ops[i]).Words() {
					e.firstWords[i] = append(e.firstWords[i], loop.At(at(row, i, word)))
				}
			}
			body()
		})
		clear(e.firstWords)
	})
}

// rowsAhead returns how many rows of a work-item load the first words of some searches together.
func (e *rowBody) rowsAhead(searches []int) int {
	if e.lone.ahead > 0 {
		return e.lone.ahead
	}
	words := 1
	for _, i := range searches {
		words = max(words, e.matched(&e.Ops[i]).Words())
	}
	return min(mostAhead, max(mostWords/words, 1))
}

// looksAhead reports whether rows load the first words of a search ahead: of narrow keys where slots are assumed to be no keys,
// and of wide ones where they never are. Other wide keys took 1.15 times as long, for lack of registers.
func (e *rowBody) looksAhead(op *tile.Op) bool {
	isDirect := e.expr(op.Args[2])
	if isAssumed := isDirect == loop.Expr(loop.False); isAssumed || !op.Wide {
		return isAssumed && !op.Wide
	}
	c, isKnown := isDirect.(*loop.Const)
	return isKnown && !c.Value.IsTrue()
}
