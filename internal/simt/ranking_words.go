package simt

import (
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
)

// Rows that move may have several elements that lie side by side there. A work-item that stored those of one row would
// leave the sectors of memory to be put together. So they lie in local memory like all that rows hold, element by
// element, and neighbouring work-items store neighbouring elements of a row, each as many as one access moves.

// planMovedWords finds the elements that move with their rows.
func (k *kernel) planMovedWords() {
	for i := range k.Ops {
		if op := &k.Ops[i]; op.Kind == tile.Store && op.Width > 0 && k.phase[i] > 0 {
			k.ranks.words = append(k.ranks.words, i)
		}
	}
}

// isMovedWord reports whether an operation stores an element that moves beside others.
func (k *kernel) isMovedWord(i int) bool { return k.ranks != nil && slices.Contains(k.ranks.words, i) }

// moveWords stores the elements of the rows at their places.
func (r *rankedTile) moveWords() {
	if len(r.ranks.words) == 0 {
		return
	}
	op := &r.Ops[r.ranks.words[0]]
	to, rank := r.stream(op.Stream), r.Ops[r.ranks.op].Res[0]
	wide := loop.Wide(to.T)
	if wide == 0 || op.Width%wide != 0 {
		wide = 1
	}
	pieces := op.Width / wide
	word := r.heldWord(r.ranks.held[0])
	rows, first := r.length(r.Domains[0].Plan), r.heldStart(0)
	count := r.b.Let("pieces", loop.Mul(r.tileBody.count, loop.Int(int64(pieces))))
	most := (r.kernel.rows()*int64(pieces) + int64(r.workgroup) - 1) / int64(r.workgroup)
	r.b.For("piece", loop.Int(0), loop.Int(most), func(i *loop.Var) {
		piece := r.b.Let("at", loop.Add(loop.Mul(i, loop.Int(int64(r.workgroup))), r.localID))
		r.b.If(loop.Lt(piece, count), func() {
			at := r.b.Let("row", loop.Div(piece, loop.Int(int64(pieces))))
			element := r.b.Let("element", loop.Mul(loop.Sub(piece, loop.Mul(at, loop.Int(int64(pieces)))), loop.Int(int64(wide))))
			r.now, r.values = 1, map[tile.ID]loop.Expr{}
			r.recallAt(at)
			place := r.b.Let("place", loop.Add(loop.ToCounter(loop.At(r.offsets, r.digit())), at))
			r.values[rank] = loop.ToKind(r.Values[rank].Kind, place)
			var values []loop.Expr
			for j := range wide {
				lies := loop.Add(loop.Mul(loop.Add(element, loop.Int(int64(j))), loop.Int(r.kernel.rows())), loop.Add(at, loop.Int(first)))
				values = append(values, r.asStored(op, fromWord(r.Values[op.Args[0]].Kind, loop.At(r.arenaOf(word), lies))))
			}
			index := r.indexOf(op.Stream)
			begin := loop.Add(loop.To(index, r.expr(op.Args[1])), loop.To(index, element)) // op is of element 0
			r.b.If(loop.Inside(place, loop.ToCounter(rows)), func() {
				if wide == 1 {
					r.b.Store(to, begin, values[0])
				} else {
					r.b.StoreWide(to, begin, values)
				}
			}, nil)
		}, nil)
	})
}
