package simt

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// A check reports its row's number in its own domain, for which a kernel of selected rows
// needs a prefix. If no other operation needs the prefix, the kernel goes without it: where a
// check fails, it sets the abort word, and the plan's fallback finds the row.

// unnumbered returns t without the prefixes that only number rows whose checks fail, if the
// plan has a fallback that numbers them.
func (l *lowering) unnumbered(t *tile.Kernel) *tile.Kernel {
	if l.suffix != "" || l.family == &publishedFamily {
		return t
	}
	return t.Unnumbered()
}

// check reports a failed check, or gives up if nothing here numbers its row.
func (e *rowBody) check(op *tile.Op) {
	e.nested(e.expr(op.Args[0]), func() {
		if len(op.Args) == 1 {
			e.lowering.addAbort()
			e.b.Atomic(loop.AtomicOr, e.arguments.buffer(e.lowering.abort, ir.U32, plan.ReadsWrites), loop.Int(0), number(ir.U32, abortChecked))
			return
		}
		errors := e.arguments.buffer(e.lowering.errors, ir.I64, plan.ReadsWrites)
		e.b.Atomic(loop.AtomicMin, errors, loop.Int(int64(op.Site)), loop.ToKind(ir.I64, e.expr(op.Args[1])))
	})
}
