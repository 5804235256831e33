package simt

import (
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// A work-item that gathers all words of a row, which lie side by side, loads them one after the other, while its neighbours
// load from other places of memory. So four lanes of a subgroup load a row together, a part each, at once: first the row
// that one of them needs, then that of the next. Then they exchange the parts.

// Lanes that load a row together, and words that each loads at once.
const (
	lanesOfRow = 4
	partOfRow  = loop.WideBytes / 8
	wordsOfRow = lanesOfRow * partOfRow
)

// rowGather is what loads the words of a row.
type rowGather struct {
	stream int
	first  tile.ID     // the place of the first word
	loads  map[int]int // the operation for each that is needed
}

// rowGathers lists the rows of which the phase at hand loads most words, by places that are known before it.
func (e *rowBody) rowGathers() (list []*rowGather) {
	if !e.collective.inRegisters() || e.subgroup.Width < lanesOfRow {
		return nil
	}
	for i, needed := range e.needed(e.until, e.effects) {
		op := &e.Ops[i]
		if !needed || !op.LoadsAt() || op.Domain != 0 || e.phase[i] != e.now || !e.Streams[op.Stream].Long || e.Streams[op.Stream].Kind != ir.U64 {
			continue
		}
		first, word, ok := e.WordOfRow(op.Args[0], wordsOfRow)
		if !ok || !e.isKnownBefore(first) {
			continue
		}
		at := slices.IndexFunc(list, func(g *rowGather) bool { return g.stream == op.Stream && g.first == first })
		if at < 0 {
			at = len(list)
			list = append(list, &rowGather{op.Stream, first, map[int]int{}})
		}
		list[at].loads[word] = i
	}
	return slices.DeleteFunc(list, func(g *rowGather) bool { return len(g.loads) <= wordsOfRow/2 })
}

// gatherRow loads the words of a row of each work-item, which all have one.
func (e *rowBody) gatherRow(g *rowGather) {
	from, index := e.stream(g.stream), e.indexOf(g.stream)
	u32 := func(n int) loop.Expr { return number(ir.U32, int64(n)) }
	ofLane := func(x, lane loop.Expr) loop.Expr { return loop.CallOf(shuffle[ir.U64], x, lane) }
	lane := e.b.Let("lane", loop.ToKind(ir.U32, sublane()))
	own := e.b.Let("own_part", loop.To(index, loop.Mul(loop.Apply(ir.OpAnd, lane, u32(lanesOfRow-1)), u32(partOfRow))))
	firstLane := e.b.Let("first_lane", loop.Apply(ir.OpAnd, lane, u32(-lanesOfRow)))
	first := e.b.Let("first_word", loop.ToKind(ir.U64, e.expr(g.first)))
	var words [lanesOfRow]loop.Expr // the first ones of the rows of the lanes
	for i := range words {
		words[i] = e.b.Let("word", ofLane(first, loop.Add(firstLane, u32(i))))
	}
	var parts [lanesOfRow][partOfRow]loop.Expr // of these rows, and then of the work-item's own row
	for i, word := range words {
		var part [partOfRow]*loop.Var
		for j := range part {
			part[j] = e.b.Decl("part", number(ir.U64, 0))
			parts[i][j] = part[j]
		}
		e.b.If(loop.Inside(word, e.elementsOf(g.stream)), func() { // all words of a row, or none
			for j, x := range e.b.LoadWide("wide", from, loop.Add(loop.To(index, word), own)) {
				e.b.Assign(part[j], x)
			}
		}, nil)
	}
	for bit := 1; bit < lanesOfRow; bit *= 2 { // a matrix of parts is transposed
		isHigh := e.b.Let("is_high", loop.Ne(loop.Apply(ir.OpAnd, lane, u32(bit)), u32(0)))
		other := e.b.Let("other_lane", loop.Apply(ir.OpXor, lane, u32(bit)))
		for i := range parts {
			if i&bit > 0 {
				continue
			}
			for j := range partOfRow {
				low, high := parts[i][j], parts[i|bit][j]
				theirs := e.b.Let("theirs", ofLane(loop.Choose(isHigh, low, high), other))
				parts[i][j] = e.b.Let("part", loop.Choose(isHigh, theirs, low))
				parts[i|bit][j] = e.b.Let("part", loop.Choose(isHigh, high, theirs))
			}
		}
	}
	for word, i := range g.loads {
		e.ahead[i] = parts[word/partOfRow][word%partOfRow]
	}
}
