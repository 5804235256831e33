package simt

import (
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/plan"
)

// Where a row has several elements side by side, those that neighbouring work-items store at once would
// lie a row apart. So the rows of a tile put all of them in local memory, element by element, and
// neighbouring work-items take neighbours from there to global memory.

// wordsBudget is how many bytes of such elements a tile has, if the schedule leaves its rows open and one for each
// work-item takes no more: eight work-groups of 256 fill a compute unit, which has local memory for as many.
const wordsBudget = 20 << 10

// rowWords is a stream with several elements for each row of the base.
type rowWords struct {
	stream int
	width  int   // elements of a row
	stride int   // words of local memory from one element of a row to the next
	region int64 // the first byte in the arena
}

// wordsOf returns the elements of a stream, if they pass through the arena.
func (p *arena) wordsOf(stream int) *rowWords {
	if i := slices.IndexFunc(p.words, func(w rowWords) bool { return w.stream == stream }); i >= 0 {
		return &p.words[i]
	}
	return nil
}

// planWords decides which streams with several elements for each row pass through the arena, and how
// many rows work-items have.
func (k *kernel) planWords(items int) {
	streams := k.streamsOfWords()
	if len(streams) == 0 {
		return
	}
	for items == 0 && k.items > 1 && k.wordBytes(streams) > wordsBudget {
		k.items /= 2
	}
	for _, w := range streams {
		w.stride = k.wordStride(w.width)
		w.region = k.arena.bytes
		if bytes := k.wordBytes([]rowWords{w}); w.region+bytes <= k.budget {
			k.arena.words = append(k.arena.words, w)
			k.arena.bytes += bytes
		}
	}
	for i := range k.Ops {
		if op := &k.Ops[i]; op.Width > 0 && k.arena.wordsOf(op.Stream) != nil {
			k.leaveUnused(op.Args[1])
		}
	}
}

// streamsOfWords lists the streams with several elements for each row of the base.
func (k *kernel) streamsOfWords() (list []rowWords) {
	for i := range k.Ops {
		op := &k.Ops[i]
		isKnown := slices.ContainsFunc(list, func(w rowWords) bool { return w.stream == op.Stream })
		if op.Kind == tile.Store && op.Width > 1 && op.Domain == 0 && !op.Epilogue && !isKnown {
			list = append(list, rowWords{stream: op.Stream, width: op.Width})
		}
	}
	return list
}

// gathersWords reports whether rows read several elements that lie side by side, at places anywhere. Then a row for each
// work-item is enough: with more on their way, some would be gone from the cache before the others are read.
func (k *kernel) gathersWords() bool {
	return k.Has(func(op *tile.Op) bool { return op.IsLoad() && !op.LoadsElement() && k.Streams[op.Stream].Long })
}

// leaveUnused counts a use of v less, and those of what only v needs.
func (k *kernel) leaveUnused(v tile.ID) {
	if k.uses[v]--; k.uses[v] == 0 {
		for _, arg := range k.Ops[k.Values[v].Op].Args {
			k.leaveUnused(arg)
		}
	}
}

// wordStride returns the words from one element of a row to the next: so many more than rows that those of
// a few rows lie in different banks.
func (k *kernel) wordStride(width int) int {
	const banks = 16 // of 64 bits
	return int(k.rows()) + (banks+width-1)/width
}

// wordBytes returns what the elements of some streams take of the arena.
func (k *kernel) wordBytes(streams []rowWords) (bytes int64) {
	for _, w := range streams {
		size := wordOf(k.Streams[w.stream].Kind).Size()
		bytes += aligned16(int64(w.width * k.wordStride(w.width) * size))
	}
	return bytes
}

// putWord puts an element of the row at hand in the arena.
func (e *rowBody) putWord(w *rowWords, op *tile.Op) {
	word := wordOf(e.Streams[w.stream].Kind)
	at := loop.Add(e.place, loop.Add(loop.Int(int64(op.Word*w.stride)), e.arenaStart(w.region, word)))
	e.b.Store(e.arenaOf(word), at, toWord(word, e.expr(op.Args[0])))
}

// deliverWords stores the elements of all rows of the tile.
func (e *tileBody) deliverWords(w *rowWords) {
	stream := e.Streams[w.stream]
	word, width := wordOf(stream.Kind), loop.Int(int64(w.width))
	arena, to := e.arenaOf(word), e.arguments.buffer(stream.Buffer, stream.Kind, plan.Writes)
	index := e.indexOf(w.stream)
	begin := e.b.Let("begin", loop.Mul(loop.To(index, e.first), loop.To(index, width)))
	each := func(isWhole bool) {
		e.b.For("word", loop.Int(0), loop.Int(int64(w.width*e.items)), func(i *loop.Var) {
			at := e.b.Let("at", loop.Add(loop.Mul(i, loop.Int(int64(e.workgroup))), e.localID))
			store := func() {
				row := e.b.Let("row", loop.Div(at, width))
				element := loop.Mul(loop.Sub(at, loop.Mul(row, width)), loop.Int(int64(w.stride)))
				x := loop.At(arena, loop.Add(loop.Add(element, row), e.arenaStart(w.region, word)))
				e.b.Store(to, loop.Add(begin, loop.To(index, at)), loop.ToKind(loop.ScalarOf(stream.Kind).Kind, fromWord(stream.Kind, x)))
			}
			if isWhole {
				store()
			} else {
				e.b.If(loop.Lt(at, loop.Mul(e.count, width)), store, nil)
			}
		})
	}
	e.b.If(loop.Eq(e.count, loop.Int(e.kernel.rows())), func() { each(true) }, func() { each(false) })
}
