package loop

// renamed returns a statement that computes, stores or chooses, with other variables in place of some.
func renamed(s Stmt, names map[*Var]*Var) Stmt {
	switch s := s.(type) {
	case *Decl:
		if s.Init == nil {
			return s
		}
		other := *s
		other.Init = renamedExpr(s.Init, names)
		return &other
	case *Let:
		return &Let{s.Var, renamedExpr(s.X, names)}
	case *Assign:
		return &Assign{s.Var, renamedExpr(s.X, names)}
	case *Store:
		return &Store{s.Memory, renamedExpr(s.Index, names), renamedExpr(s.X, names)}
	case *Atomic:
		other := *s
		other.Index, other.X = renamedExpr(s.Index, names), renamedExpr(s.X, names)
		if s.Expected != nil {
			other.Expected = renamedExpr(s.Expected, names)
		}
		return &other
	case *If:
		other := &If{Cond: renamedExpr(s.Cond, names)}
		for _, inner := range s.Then {
			other.Then = append(other.Then, renamed(inner, names))
		}
		for _, inner := range s.Else {
			other.Else = append(other.Else, renamed(inner, names))
		}
		return other
	}
	return s // a note
}

// renamedExpr returns x likewise.
func renamedExpr(x Expr, names map[*Var]*Var) Expr {
	rename := func(x Expr) Expr { return renamedExpr(x, names) }
	switch x := x.(type) {
	case *Var:
		if name := names[x]; name != nil {
			return name
		}
	case *Unary:
		return &Unary{x.Op, rename(x.X)}
	case *Binary:
		return &Binary{x.Op, rename(x.X), rename(x.Y)}
	case *Compare:
		return &Compare{x.Op, x.Key, rename(x.X), rename(x.Y)}
	case *Select:
		return &Select{rename(x.Cond), rename(x.Then), rename(x.Else)}
	case *Cast:
		return &Cast{x.To, rename(x.X), x.Bits}
	case *Load:
		return &Load{x.Memory, rename(x.Index), x.Volatile}
	case *Call:
		other := &Call{Callee: x.Callee}
		for _, argument := range x.Args {
			other.Args = append(other.Args, rename(argument))
		}
		return other
	}
	return x
}
