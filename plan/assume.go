package plan

// OneIfZero returns 1 if a scalar that is not negative is 0, else 0: a factor of what is needed
// in one of two ways.
func OneIfZero(scalar string) Expr { return Sub(Const(1), Min(Var(scalar), Const(1))) }

// inAnyWay returns e with 1 for each such factor, so that e is at least as great whatever
// way is taken.
func (e Expr) inAnyWay() Expr {
	if e.Op == OpSub && len(e.Args) == 2 && e.Args[1].Op == OpMin && e.Args[1].Args[0].Op == OpScalar && e.String() == OneIfZero(e.Args[1].Args[0].Name).String() {
		return Const(1)
	}
	args := make([]Expr, len(e.Args))
	for i, arg := range e.Args {
		args[i] = arg.inAnyWay()
	}
	e.Args = args
	return e
}

// Assuming returns e in a simpler form that is equal where some scalars are above 0, or 0
// if the map has false for them, and no length is negative.
func (e Expr) Assuming(positive map[string]bool) Expr {
	args := make([]Expr, len(e.Args))
	for i, arg := range e.Args {
		args[i] = arg.Assuming(positive)
	}
	isConst := func(i int, c int64) bool { return args[i].Op == OpConst && args[i].Const == c }
	isPositive := func(i int) bool { return args[i].Op == OpScalar && positive[args[i].Name] }
	switch e.Op {
	case OpScalar:
		if is, ok := positive[e.Name]; ok && !is {
			return Const(0)
		}
		return e
	case OpConst, OpLen, OpMachine, OpResident, OpRows:
		return e
	}
	if len(args) == 2 {
		if args[0].Op == OpConst && args[1].Op == OpConst {
			switch e.Op {
			case OpMin:
				return Const(min(args[0].Const, args[1].Const))
			case OpMax:
				return Const(max(args[0].Const, args[1].Const))
			case OpSub:
				return Const(args[0].Const - args[1].Const)
			}
		}
		for i := range 2 {
			other := args[1-i]
			switch {
			case e.Op == OpMin && isConst(i, 1) && isPositive(1-i), e.Op == OpMul && isConst(i, 0):
				return args[i]
			case e.Op == OpMul && isConst(i, 1), e.Op == OpMax && isConst(i, 0) && (other.Op == OpLen || isPositive(1-i)):
				return other
			}
		}
	}
	return Apply(e.Op, args...)
}
