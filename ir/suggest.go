package ir

import (
	"fmt"
	"slices"
)

func (r *resolver) unknown(x *Name) operand {
	return r.g.fail(x.Pos, "", "unknown name %s", clip(x.Name))
}

func (r *resolver) unknownFunction(x *Call) operand {
	return r.g.fail(x.Pos, "", "unknown function %s", clip(x.Name))
}

func (r *resolver) operation(f *function, a *Arg) (ReduceOp, bool) {
	if n, ok := a.X.(*Name); ok && a.Label == "" {
		if i := slices.Index(reduceNames[:], n.Name); i > 0 {
			return ReduceOp(i), false
		}
	}
	r.report(a.X.Position(), fmt.Sprintf("%s begins with its operation", f.name), fmt.Sprintf("as in %s(add, x); the operations are add mul min max and or xor", f.name))
	return ReduceNone, true
}
