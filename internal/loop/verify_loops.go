package loop

import (
	"maps"
	"slices"
)

func (v *verifier) forLoop(s *For) {
	v.same("first value", s.Lo, s.Var.T)
	v.same("end", s.Hi, s.Var.T)
	if t := s.Var.T; t.IsMemory() || !t.Kind.IsInteger() {
		v.fail("%s is %v, want an integer", s.Var.Name, t)
	}
	if s.Step < 1 {
		v.fail("step %d, want at least 1", s.Step)
	}
	v.loops++
	v.nested(s.Body, s.Var)
	v.loops--
}

func (v *verifier) do(s *Do) {
	results := s.Call.Callee.Results
	if len(s.Results) != 0 && len(s.Results) != len(results) {
		v.fail("%d results are bound of %d", len(s.Results), len(results))
		return
	}
	assigned, bound := false, false
	for i, x := range s.Results {
		switch {
		case x == nil:
			continue
		case x.T != results[i]:
			v.fail("%s is %v, want %v", x.Name, x.T, results[i])
		}
		if x.Changes {
			v.assigned(x)
			assigned = true
		} else {
			v.bindValue(x)
			bound = true
		}
	}
	if assigned && bound {
		v.fail("some results are assigned, others bound")
	}
}

// child checks the launch of a kernel by another.
func (v *verifier) child(s *Child) {
	v.same("number of work-groups", s.Workgroups, Counter)
	switch params := s.Kernel.Params; {
	case v.funcs[s.Kernel.Signature()] == nil:
		v.fail("%s is no earlier kernel", s.Kernel.Name)
	case !s.Kernel.IsChild || s.Kernel.WorkgroupSize == 0:
		v.fail("%s is not said to be launched by kernels, for work-groups of a size", s.Kernel.Name)
	case len(params) != len(s.Args):
		v.fail("%s takes %d arguments, and is given %d", s.Kernel.Name, len(params), len(s.Args))
	default:
		for i, p := range params {
			if t := s.Args[i].Type(); t != p.T && t.AsReadOnly() != p.T {
				v.fail("argument %s is %v, want %v", p.Name, t, p.T)
			}
		}
	}
	v.nested(s.Otherwise)
}

func (v *verifier) rows(rows, workers Expr, grain int64) {
	v.same("number of rows", rows, Counter)
	v.same("number of workers", workers, Counter)
	if grain < 1 {
		v.fail("ranges are multiples of %d rows, want at least 1", grain)
	}
}

func (v *verifier) chain(s *Chain) {
	v.rows(s.Rows, s.Workers, s.Block)
	outer := v.shared
	v.concurrent(func() {
		v.scopes = append(v.scopes, map[*Var]bool{})
		if s.Worker != nil {
			v.declare(s.Worker)
		}
		v.body(s.Setup)
		v.scopes = append(v.scopes, map[*Var]bool{})
		v.declare(s.Lo)
		v.declare(s.Hi)
		turns := s.Turn
		for _, more := range s.More {
			turns = slices.Concat(turns, more.Turn)
		}
		guarded := v.guarded
		v.shared = changedOutside(slices.Concat(turns, s.Finish), v.scopes[:guarded])
		shared := v.shared
		for i, part := range append([]ChainTurn{{s.Before, s.Turn}}, s.More...) {
			v.guarded, v.shared = guarded, shared
			v.body(part.Before)
			v.guarded, v.shared = 0, nil
			if len(s.More) > 0 { // blocks are in different turns at the same time
				v.shared = changedOutside(s.otherTurns(i), v.scopes[:guarded])
			}
			v.body(part.Turn)
		}
		v.guarded, v.shared = guarded, withoutGrown(shared, turns)
		v.body(s.After)
		v.scopes = v.scopes[:len(v.scopes)-1]
		v.guarded, v.shared = 0, nil
		v.nested(s.Finish)
		v.guarded, v.shared = guarded, shared
		v.scopes = v.scopes[:len(v.scopes)-1]
	})
	v.shared = outer
}

// otherTurns returns the statements of all turns but one.
func (s *Chain) otherTurns(i int) (list []Stmt) {
	for j, part := range append([]ChainTurn{{s.Before, s.Turn}}, s.More...) {
		if j != i {
			list = append(list, part.Turn...)
		}
	}
	return list
}

// withoutGrown returns changed without the columns that grow in a turn, which waits for what uses them.
func withoutGrown(changed map[*Var]bool, turn []Stmt) map[*Var]bool {
	changed = maps.Clone(changed)
	WalkStmts(turn, func(s Stmt) {
		if grow, ok := s.(*Grow); ok {
			for _, column := range grow.Columns {
				delete(changed, column)
			}
		}
	})
	return changed
}

// changedOutside returns the variables of scopes that body assigns.
func changedOutside(body []Stmt, scopes []map[*Var]bool) map[*Var]bool {
	changed := map[*Var]bool{}
	var visit func(body []Stmt)
	visit = func(body []Stmt) {
		for _, s := range body {
			for _, x := range assigns(s) {
				for _, scope := range scopes {
					if scope[x] {
						changed[x] = true
					}
				}
			}
			for _, b := range bodies(s) {
				visit(*b)
			}
		}
	}
	visit(body)
	return changed
}
