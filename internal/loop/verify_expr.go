package loop

import "github.com/kgen-go/kgen/ir"

func (v *verifier) expr(x Expr) {
	switch x := x.(type) {
	case *Const:
		if k := x.Value.Kind; k.IsCoded() || k.IsUntyped() || k == ir.Invalid || k == ir.Pair || x.Counter && k != ir.I64 {
			v.fail("no literal is %v", k)
		}
	case *Var:
		v.variable(x)
	case *Unary:
		v.expr(x.X)
		v.unary(x)
	case *Binary:
		v.expr(x.X)
		v.expr(x.Y)
		v.binary(x)
	case *Compare:
		v.expr(x.X)
		v.expr(x.Y)
		v.same("right operand", x.Y, x.X.Type())
		if !x.Op.IsComparison() || x.X.Type().IsMemory() {
			v.fail("operator %d does not compare %v", x.Op, x.X.Type())
		}
	case *Select:
		v.expr(x.Cond)
		v.expr(x.Then)
		v.expr(x.Else)
		v.same("condition", x.Cond, Bool.lanewise(x.Then.Type()))
		v.same("second choice", x.Else, x.Then.Type())
		v.scalar(x.Then)
	case *Cast:
		v.expr(x.X)
		v.cast(x)
	case *Load:
		v.variable(x.Memory)
		v.expr(x.Index)
		v.index(x.Index)
		if !x.Memory.T.IsMemory() {
			v.fail("%s is no memory", x.Memory.Name)
		}
		if x.Volatile && v.profile == Cores {
			v.fail("profile cores has no volatile loads")
		}
	case *Call:
		v.call(x)
	case *Len:
		v.variable(x.Memory)
		if v.profile != Cores || x.Memory.T.Form != Slice {
			v.fail("only slices of profile cores have a length")
		}
	case *ID:
		if v.profile != Simt {
			v.fail("only profile simt has a %v", x.Kind)
		}
	case *LoadLanes, *Splat, *Compress, *CountLanes, *AnyLane:
		v.lanes(x)
	default:
		v.fail("%T is no expression", x)
	}
}

func (v *verifier) variable(x *Var) {
	if v.depth(x) < 0 {
		v.fail("%s is not declared here", x.Name)
	}
	if v.shared[x] {
		v.fail("%s changes in turns; only they may read it", x.Name)
	}
}

func (v *verifier) scalar(x Expr) {
	if x.Type().IsMemory() {
		v.fail("%v is no value", x.Type())
	}
}

func (v *verifier) unary(x *Unary) {
	t := x.X.Type()
	if x.Op.Arity() != 1 || x.Op == ir.OpCast || !takes(x.Op, t.Kind) || t.IsMemory() {
		v.fail("no operator %q takes %v", x.Op.String(), t)
	}
}

func (v *verifier) binary(x *Binary) {
	t, u := x.X.Type(), x.Y.Type()
	ok := x.Op.Arity() == 2 && !x.Op.IsComparison()
	if ok {
		_, ok = x.Op.ResultKind(t.Kind, u.Kind)
		ok = ok || v.profile != Cores && t.Kind == ir.Bool && (x.Op == ir.OpAnd || x.Op == ir.OpOr) // which computes both operands
	}
	shifts := x.Op == ir.OpShl || x.Op == ir.OpShr // by a count of any type
	if !ok || t != u && !shifts || t.Form != u.Form || t.Len != u.Len || t.IsMemory() {
		v.fail("no operator %q takes %v and %v", x.Op.String(), t, u)
	}
}

// takes reports whether a unary operator takes a value of kind k; a date is an
// i32 here.
func takes(op ir.Op, k ir.Kind) bool {
	return op.Takes(k) || k == ir.I32 && op.Takes(ir.Date)
}

func (v *verifier) cast(x *Cast) {
	from, to := x.X.Type(), x.To
	ok := (from.Kind.IsNumeric() || from.Kind == ir.Bool) && to.Kind.IsNumeric()
	if x.Bits {
		hasBits := func(k ir.Kind) bool { return k.IsFloat() || k == ir.Char8 }
		ok = hasBits(from.Kind) != hasBits(to.Kind) && from.Kind.Size() == to.Kind.Size() &&
			(from.Kind.IsUnsigned() || to.Kind.IsUnsigned())
	}
	if !ok || from.IsMemory() || to.IsMemory() || from.Form != to.Form || from.Len != to.Len {
		v.fail("no cast from %v to %v", from, to)
	}
}

func (v *verifier) call(x *Call) {
	for _, a := range x.Args {
		v.expr(a)
	}
	if v.profile == Cores && v.funcs[x.Callee] == nil {
		v.fail("%s is no function that stands before", x.Callee.Name)
		return
	}
	if len(x.Args) != len(x.Callee.Params) {
		v.fail("%d arguments for %s, want %d", len(x.Args), x.Callee.Name, len(x.Callee.Params))
		return
	}
	if f := v.funcs[x.Callee]; f != nil && f.Kernel {
		v.fail("%s is a kernel, which only the host launches", x.Callee.Name)
	}
	for i, a := range x.Args {
		want, got := x.Callee.Params[i], a.Type()
		if v.profile == Simt && want.Form == Slice && got.Form == Array {
			got.Form, got.Len = Slice, 0 // as a pointer
		}
		if want.ReadOnly {
			got = got.AsReadOnly()
		}
		if got != want {
			v.fail("argument %d of %s is %v, want %v", i+1, x.Callee.Name, a.Type(), want)
		}
	}
}
