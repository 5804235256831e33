package simt

import "github.com/kgen-go/kgen/internal/loop"

// tilesAtOnce is how many consecutive tiles each work-item folds in a round.
const tilesAtOnce = 8

// tileStates are the states of consecutive tiles.
type tileStates struct {
	*state
	begin, count loop.Expr // their first element, and how many there are
	from         func(j int) *loop.Var
}

// eachRound runs body for each so many tiles as the work-group folds at once, with the first one of this work-item.
func (t *tileStates) eachRound(e *function, body func(start loop.Expr)) {
	first := e.b.Decl("first", loop.Int(0))
	e.b.While(loop.Lt(first, t.count), func() {
		body(e.b.Let("start", loop.Add(first, loop.Mul(e.localID, loop.Int(tilesAtOnce)))))
		e.b.Barrier(loop.WorkgroupScope)
		e.b.Assign(first, loop.Add(first, loop.Int(int64(e.workgroup*tilesAtOnce))))
	})
}

// each runs body for each of the tiles of this work-item in a round.
func (t *tileStates) each(e *function, start loop.Expr, body func(at loop.Expr)) {
	e.b.For("i", loop.Int(0), loop.Int(tilesAtOnce), func(i *loop.Var) {
		at := e.b.Let("at", loop.Add(start, i))
		e.b.If(loop.Lt(at, t.count), func() { body(loop.Add(t.begin, loop.To(t.begin.Type(), at))) }, nil)
	})
}

// load loads the state of a tile.
func (t *tileStates) load(e *function, at loop.Expr) (theirs []loop.Expr) {
	for j := range t.slots {
		theirs = append(theirs, e.b.Let("state", loop.At(t.from(j), at)))
	}
	return theirs
}

// mine folds the tiles of this work-item in a round.
func (t *tileStates) mine(e *function, start loop.Expr) []loop.Expr {
	mine := e.declare(t.state, t.identities())
	t.each(e, start, func(at loop.Expr) { e.assignAll(mine, e.combine(t.state, exprsOf(mine), t.load(e, at))) })
	return exprsOf(mine)
}

// gatheredAtOnce is how many tiles, a work-group's work-items apart, each work-item folds in a round if these may be in any order.
const gatheredAtOnce = 16

// foldAllTiles is foldTiles of many tiles, whose states may be combined in any order: the work-group combines its own once, behind all rounds.
func (e *function) foldAllTiles(st *state, tiles loop.Expr, from func(j int) *loop.Var) (whole []*loop.Var) {
	whole = e.declare(st, st.identities())
	t := &tileStates{st, loop.Int(0), tiles, from}
	mine := e.declare(st, st.identities())
	first := e.b.Decl("first", e.localID)
	e.b.While(loop.Lt(first, tiles), func() {
		e.b.For("i", loop.Int(0), loop.Int(gatheredAtOnce), func(i *loop.Var) {
			at := e.b.Let("at", loop.Add(first, loop.Mul(i, loop.Int(int64(e.workgroup)))))
			e.b.If(loop.Lt(at, tiles), func() { e.assignAll(mine, e.combine(st, exprsOf(mine), t.load(e, at))) }, nil)
		})
		e.b.Assign(first, loop.Add(first, loop.Int(int64(e.workgroup*gatheredAtOnce))))
	})
	e.collective.fold(e, st, exprsOf(mine), func(total []loop.Expr) { e.assignAll(whole, total) })
	return whole
}

// foldTiles folds the states of all tiles in one work-group, of which the first work-item knows the fold.
func (e *function) foldTiles(st *state, tiles loop.Expr, from func(j int) *loop.Var) (whole []*loop.Var) {
	whole = e.declare(st, st.identities())
	t := &tileStates{st, loop.Int(0), tiles, from}
	t.eachRound(e, func(start loop.Expr) {
		e.collective.fold(e, st, t.mine(e, start), func(total []loop.Expr) { e.assignAll(whole, e.combine(st, exprsOf(whole), total)) })
	})
	return whole
}

// scanTiles scans the states of all tiles in one work-group. It stores the prefix
// of each tile, and returns the fold of all tiles.
func (e *function) scanTiles(st *state, tiles loop.Expr, from, to func(j int) *loop.Var) (whole []*loop.Var) {
	return e.scanTilesFrom(loop.Int(0), st, tiles, from, to)
}

// scanTilesFrom is scanTiles of states that begin at an element.
func (e *function) scanTilesFrom(begin loop.Expr, st *state, tiles loop.Expr, from, to func(j int) *loop.Var) (whole []*loop.Var) {
	whole = e.declare(st, st.identities())
	t := &tileStates{st, begin, tiles, from}
	t.eachRound(e, func(start loop.Expr) {
		before, total := e.blockScan(st, t.mine(e, start), duringScan{})
		prefix := e.declare(st, e.combine(st, exprsOf(whole), before))
		t.each(e, start, func(at loop.Expr) {
			theirs := t.load(e, at)
			for j := range st.slots {
				e.b.Store(to(j), at, prefix[j])
			}
			e.assignAll(prefix, e.combine(st, exprsOf(prefix), theirs))
		})
		e.assignAll(whole, e.combine(st, exprsOf(whole), total))
	})
	return whole
}
