package loop

// Spread says which work-items share an equal value or common control flow.
type Spread uint8

// The spreads, from the weakest to the strongest.
const (
	Varying          Spread = iota // differs from work-item to work-item
	EqualInSubgroup                // one value per subgroup
	EqualInWorkgroup               // one value per work-group
	EqualInGrid                    // one value in the whole grid
)

var spreadNames = [...]string{"varying", "equal in a subgroup", "equal in a work-group", "equal in the grid"}

func (s Spread) String() string { return spreadNames[s] }

// needs is the spread that an operation of the scope requires of control flow.
func (s Scope) needs() Spread {
	if s == SubgroupScope {
		return EqualInSubgroup
	}
	return EqualInWorkgroup
}

// flow finds the spread of variables and of control flow in one function whose
// arguments have the spreads args. It starts with everything equal and weakens
// until nothing changes.
type flow struct {
	v       *verifier
	vars    map[*Var]Spread // only those weaker than EqualInGrid
	changed bool
	report  bool
	leave   []Spread // per enclosing loop: the spread of leaving it by Break
}

// checkConverged reports the barriers and collective calls of f that not all
// work-items of their scope reach together.
func checkConverged(v *verifier, f *Func) {
	v.f = f
	fl := &flow{v: v, vars: map[*Var]Spread{}}
	fl.settle(f, EqualInGrid)
	fl.report = true
	fl.body(f.Body, EqualInGrid)
	v.at = nil
}

func (fl *flow) settle(f *Func, common Spread) {
	for fl.changed = true; fl.changed; {
		fl.changed = false
		fl.body(f.Body, common)
	}
}

func (fl *flow) of(v *Var) Spread {
	if s, ok := fl.vars[v]; ok {
		return s
	}
	return EqualInGrid
}

func (fl *flow) weaken(v *Var, s Spread) {
	if v != nil && s < fl.of(v) {
		fl.vars[v] = s
		fl.changed = true
	}
}

func (fl *flow) body(body []Stmt, common Spread) {
	for _, s := range body {
		fl.v.at = s
		fl.stmt(s, common)
		if _, ok := s.(*Break); ok {
			return
		}
		// Work-items that left the loop do not come along any further.
		if n := len(fl.leave); n > 0 {
			common = min(common, fl.leave[n-1])
		}
	}
}

func (fl *flow) stmt(s Stmt, common Spread) {
	for _, x := range operands(s) {
		fl.calls(x, common)
	}
	switch s := s.(type) {
	case *Decl:
		if s.Init != nil {
			fl.weaken(s.Var, min(common, fl.expr(s.Init)))
		}
	case *Let:
		fl.weaken(s.Var, fl.expr(s.X))
	case *Assign:
		fl.weaken(s.Var, min(common, fl.expr(s.X)))
	case *Store:
		if s.Memory.T.Space == Private {
			fl.weaken(s.Memory, min(common, fl.expr(s.Index), fl.expr(s.X)))
		}
	case *LoadWide:
		for _, v := range s.Vars {
			fl.weaken(v, Varying)
		}
	case *Atomic:
		fl.weaken(s.Old, Varying)
	case *If:
		inside := min(common, fl.expr(s.Cond))
		fl.body(s.Then, inside)
		fl.body(s.Else, inside)
	case *For:
		inside := min(common, fl.expr(s.Lo), fl.expr(s.Hi))
		fl.weaken(s.Var, inside)
		fl.loop(s.Body, inside)
	case *While:
		inside := min(common, fl.expr(s.Cond))
		fl.calls(s.Cond, inside) // evaluated repeatedly by the work-items that stay
		fl.loop(s.Body, inside)
	case *Break:
		n := len(fl.leave) - 1
		fl.leave[n] = min(fl.leave[n], common)
	case *Do:
		for i, v := range s.Results {
			fl.weaken(v, min(common, fl.call(s.Call, i)))
		}
	case *Barrier:
		fl.require(s.Scope, common, "barrier")
	case *Child:
		fl.body(s.Otherwise, Varying)
	case *Role:
		fl.body(s.Body, min(common, EqualInSubgroup))
	}
}

// loop visits the body until its breaks are known: work-items that leave in one
// iteration are missing in the next.
func (fl *flow) loop(body []Stmt, common Spread) {
	report := fl.report
	fl.report = false
	fl.leave = append(fl.leave, common)
	n := len(fl.leave) - 1
	for before := EqualInGrid + 1; before != fl.leave[n]; {
		before = fl.leave[n]
		fl.body(body, before)
	}
	if report {
		fl.report = true
		fl.body(body, fl.leave[n])
	}
	fl.leave = fl.leave[:n]
}

// require reports an operation of scope in control flow that is not common to
// the scope.
func (fl *flow) require(scope Scope, common Spread, what string) {
	if fl.report && common < scope.needs() {
		fl.v.fail("%s of a %v where control flow is %v", what, scope, common)
	}
}

// calls checks the calls in x.
func (fl *flow) calls(x Expr, common Spread) {
	WalkExpr(x, func(x Expr) {
		c, ok := x.(*Call)
		if !ok {
			return
		}
		if c.Callee.Collective {
			fl.require(c.Callee.Scope, common, c.Callee.Name)
		}
		if f := fl.v.funcs[c.Callee]; f != nil && fl.report {
			inner := fl.enter(f, c.Args, common)
			inner.report = true
			outer := fl.v.at
			inner.body(f.Body, common)
			fl.v.at = outer
		}
	})
}

// enter analyses f as called with args.
func (fl *flow) enter(f *Func, args []Expr, common Spread) *flow {
	inner := &flow{v: fl.v, vars: map[*Var]Spread{}}
	for i, p := range f.Params {
		inner.weaken(p, fl.expr(args[i]))
	}
	outer := fl.v.at
	inner.settle(f, common)
	fl.v.at = outer
	return inner
}

// call returns the spread of result i of c.
func (fl *flow) call(c *Call, i int) Spread {
	if c.Callee.Collective {
		return c.Callee.Spread
	}
	if f := fl.v.funcs[c.Callee]; f != nil {
		return fl.enter(f, c.Args, EqualInGrid).expr(f.Results[i])
	}
	spread := EqualInGrid
	for _, a := range c.Args {
		spread = min(spread, fl.expr(a))
	}
	if c.Callee.Effects {
		return Varying
	}
	return spread
}

func (fl *flow) expr(x Expr) Spread {
	spread := EqualInGrid
	switch x := x.(type) {
	case *Var:
		return fl.of(x)
	case *Unary:
		return fl.expr(x.X)
	case *Binary:
		return min(fl.expr(x.X), fl.expr(x.Y))
	case *Compare:
		return min(fl.expr(x.X), fl.expr(x.Y))
	case *Select:
		return min(fl.expr(x.Cond), fl.expr(x.Then), fl.expr(x.Else))
	case *Cast:
		return fl.expr(x.X)
	case *Load:
		spread = min(fl.of(x.Memory), fl.expr(x.Index))
		switch {
		case x.Volatile:
			return Varying
		case x.Memory.T.Space == Local:
			return min(spread, EqualInWorkgroup) // each work-group has its own
		case x.Memory.T.Space == Global && !x.Memory.T.ReadOnly:
			return Varying // another work-item may store between two loads
		}
	case *Call:
		return fl.call(x, 0)
	case *ID:
		return idSpreads[x.Kind]
	}
	return spread
}

var idSpreads = [...]Spread{LocalID: Varying, LocalSize: EqualInGrid, WorkgroupID: EqualInWorkgroup, WorkgroupCount: EqualInGrid,
	SubgroupID: EqualInSubgroup, SubgroupLane: Varying, SubgroupSize: EqualInGrid}
