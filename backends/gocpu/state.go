package gocpu

import (
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// stateKey names a field of the running state of a Scan, ChunkScan or Reduce.
type stateKey struct{ op, field int }

// state is a field of a running state that lives in a local variable.
type state struct {
	stateKey
	name     string
	identity ir.Scalar
	carried  bool // rows need it, not only the combination of summaries
}

// states lists the fields that the kernel keeps, operation by operation. A
// field is kept if a result is used, if another kept field is computed from
// it, or if summaries of blocks cannot be combined without it.
func (k *kernel) states() []state {
	used := map[tile.ID]bool{}
	for _, op := range k.Ops {
		for _, arg := range op.Args {
			used[arg] = true
		}
	}
	for _, d := range k.Domains {
		used[d.Position], used[d.Guard], used[d.Open] = true, true, true
	}
	var list []state
	for i := range k.Ops {
		op := &k.Ops[i]
		if !op.IsRunning() {
			continue
		}
		carried := make([]bool, len(op.Res))
		for f, result := range op.Res {
			carried[f] = used[result] || op.IsChunkwise()
		}
		closure(op.Monoid, carried, tile.A)
		kept := make([]bool, len(op.Res))
		copy(kept, carried)
		closure(op.Monoid, kept, tile.A, tile.B)
		for f, result := range op.Res {
			if kept[f] {
				name := fieldName(op.Monoid.Fields[f].Name)
				if k.Values[result].Name != "" {
					name = k.name(result)
				}
				if op.Cuts() && op.Exclusive && op.Monoid.Kind != tile.Fold {
					name = "open_" + name // of the segment that is open
				}
				list = append(list, state{stateKey{i, f}, name, op.Monoid.Identity[f], carried[f] || op.IsReduction() && kept[f]})
			}
		}
	}
	return list
}

// closure adds the fields that the kept ones are combined from.
func closure(m *tile.Monoid, kept []bool, sides ...tile.Side) {
	for changed := true; changed; {
		changed = false
		for f := range kept {
			if kept[f] {
				changed = mark(m.Combine[f], kept, sides) || changed
			}
		}
	}
}

func mark(e *tile.Expr, kept []bool, sides []tile.Side) bool {
	changed := false
	if e.Operator == ir.OpInvalid {
		for _, side := range sides {
			if e.Side == side && !kept[e.Field] {
				kept[e.Field], changed = true, true
			}
		}
	}
	for _, arg := range e.Args {
		changed = mark(arg, kept, sides) || changed
	}
	return changed
}
