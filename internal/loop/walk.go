package loop

import "slices"

// bodies returns the statement lists in s, in the order they run.
func bodies(s Stmt) []*[]Stmt {
	switch s := s.(type) {
	case *If:
		return []*[]Stmt{&s.Then, &s.Else}
	case *For:
		return []*[]Stmt{&s.Body}
	case *While:
		return []*[]Stmt{&s.Body}
	case *Role:
		return []*[]Stmt{&s.Body}
	case *Child:
		return []*[]Stmt{&s.Otherwise}
	case *Parallel:
		return []*[]Stmt{&s.Body}
	case *Chain:
		list := []*[]Stmt{&s.Setup, &s.Before, &s.Turn}
		for i := range s.More {
			list = append(list, &s.More[i].Before, &s.More[i].Turn)
		}
		return append(list, &s.After, &s.Finish)
	case *Blocks:
		return []*[]Stmt{&s.Body}
	}
	return nil
}

// assigns returns the variables, declared before, that s itself changes.
func assigns(s Stmt) []*Var {
	switch s := s.(type) {
	case *Assign:
		return []*Var{s.Var}
	case *View:
		if s.Var == s.Memory {
			return []*Var{s.Var}
		}
	case *Grow:
		return s.Columns
	case *Do:
		var changed []*Var
		for _, v := range s.Results {
			if v != nil && v.Changes {
				changed = append(changed, v)
			}
		}
		return changed
	}
	return nil
}

// operands returns the expressions that s itself evaluates, without those of
// its bodies.
func operands(s Stmt) []Expr {
	var all []Expr
	add := func(xs ...Expr) {
		for _, x := range xs {
			if x != nil {
				all = append(all, x)
			}
		}
	}
	switch s := s.(type) {
	case *Decl:
		add(s.Init, s.Length)
		if s.Over != nil {
			add(s.Over)
		}
	case *Let:
		add(s.X)
	case *Assign:
		add(s.X)
	case *Store:
		add(s.Memory, s.Index, s.X)
	case *StoreLanes:
		add(s.Memory, s.Index, s.X)
	case *LoadWide:
		add(s.Memory, s.Index)
	case *StoreWide:
		add(s.Memory, s.Index)
		add(s.X...)
	case *Atomic:
		add(s.Memory, s.Index, s.X, s.Expected)
	case *If:
		add(s.Cond)
	case *For:
		add(s.Lo, s.Hi)
	case *While:
		add(s.Cond)
	case *Do:
		add(s.Call)
	case *Child:
		add(s.Workgroups)
		add(s.Args...)
	case *Parallel:
		add(s.Rows, s.Workers)
	case *Chain:
		add(s.Rows, s.Workers)
	case *Blocks:
		add(s.Rows)
	case *Grow:
		for _, column := range s.Columns {
			add(column)
		}
		add(s.Used, s.Need, s.Done, s.Rows)
	case *View:
		add(s.Memory, s.Start, s.End)
	case *Copy:
		add(s.To, s.From, s.At, s.Count)
	}
	return all
}

// WalkExpr calls visit for x and all its subexpressions.
func WalkExpr(x Expr, visit func(Expr)) {
	visit(x)
	switch x := x.(type) {
	case *Unary:
		WalkExpr(x.X, visit)
	case *Binary:
		WalkExpr(x.X, visit)
		WalkExpr(x.Y, visit)
	case *Compare:
		WalkExpr(x.X, visit)
		WalkExpr(x.Y, visit)
	case *Select:
		WalkExpr(x.Cond, visit)
		WalkExpr(x.Then, visit)
		WalkExpr(x.Else, visit)
	case *Cast:
		WalkExpr(x.X, visit)
	case *Load:
		visit(x.Memory)
		WalkExpr(x.Index, visit)
	case *Call:
		for _, a := range x.Args {
			WalkExpr(a, visit)
		}
	case *Len:
		visit(x.Memory)
	case *LoadLanes:
		visit(x.Memory)
		WalkExpr(x.Index, visit)
	case *Splat:
		WalkExpr(x.X, visit)
	case *Compress:
		WalkExpr(x.X, visit)
		WalkExpr(x.Mask, visit)
	case *CountLanes:
		WalkExpr(x.Mask, visit)
	case *AnyLane:
		WalkExpr(x.Mask, visit)
	}
}

// Walk calls visit for all expressions of body and of the bodies nested in it,
// including subexpressions.
func Walk(body []Stmt, visit func(Expr)) {
	for _, s := range body {
		for _, x := range operands(s) {
			WalkExpr(x, visit)
		}
		for _, b := range bodies(s) {
			Walk(*b, visit)
		}
	}
}

// WalkStmts calls visit for the statements of body and of the bodies nested in
// it.
func WalkStmts(body []Stmt, visit func(Stmt)) {
	for _, s := range body {
		visit(s)
		for _, b := range bodies(s) {
			WalkStmts(*b, visit)
		}
	}
}

// RemoveUnread removes from f its own variables and arrays that nothing reads,
// and all computations used only for them. Calls with effects stay.
func RemoveUnread(f *Func) {
	for removeUnread(&f.Body, Reads(f)) {
	}
}

// Reads returns the variables that f reads for more than their own next value.
func Reads(f *Func) map[*Var]bool {
	read, shared := map[*Var]bool{}, map[*Var]bool{} // arrays that share bytes
	WalkStmts(f.Body, func(s Stmt) {
		if d, ok := s.(*Decl); ok && d.Over != nil {
			shared[d.Var], shared[d.Over] = true, true
		}
	})
	note := func(x Expr, but *Var) {
		WalkExpr(x, func(x Expr) {
			if v, ok := x.(*Var); ok && v != but {
				read[v] = true
			}
		})
	}
	var visit func(body []Stmt)
	visit = func(body []Stmt) {
		for _, s := range body {
			var own *Var
			switch s := s.(type) {
			case *Assign:
				own = s.Var
			case *View: // of itself, shorter
				own = s.Var
			case *Store:
				if s.Memory.T.Form == Array && !shared[s.Memory] {
					own = s.Memory
				}
			case *StoreLanes:
				if s.Memory.T.Form == Array {
					own = s.Memory
				}
			}
			for _, x := range operands(s) {
				note(x, own)
			}
			for _, b := range bodies(s) {
				visit(*b)
			}
		}
	}
	visit(f.Body)
	for _, r := range f.Results {
		note(r, nil)
	}
	return read
}

func removeUnread(body *[]Stmt, read map[*Var]bool) (removed bool) {
	var kept []Stmt
	for _, s := range *body {
		if isUnread(s, read) {
			removed = true
			continue
		}
		dropUnreadResults(s, read)
		for _, b := range bodies(s) {
			if removeUnread(b, read) {
				removed = true
			}
		}
		kept = append(kept, s)
	}
	*body = kept
	return removed
}

// dropUnreadResults makes s bind only results that are read.
func dropUnreadResults(s Stmt, read map[*Var]bool) {
	switch s := s.(type) {
	case *Do:
		for i, v := range s.Results {
			if v != nil && !read[v] {
				s.Results[i] = nil
			}
		}
	case *Atomic:
		if s.Old != nil && !read[s.Old] {
			s.Old = nil
		}
	}
}

func isUnread(s Stmt, read map[*Var]bool) bool {
	switch s := s.(type) {
	case *Let:
		return !read[s.Var] && !hasEffects(s.X)
	case *Decl:
		return !read[s.Var]
	case *Assign:
		return !read[s.Var]
	case *View:
		return !read[s.Var]
	case *LoadWide:
		return !slices.ContainsFunc(s.Vars, func(v *Var) bool { return read[v] })
	case *Store:
		return s.Memory.T.Form == Array && !read[s.Memory]
	case *StoreLanes:
		return s.Memory.T.Form == Array && !read[s.Memory]
	case *If:
		return len(s.Then) == 0 && len(s.Else) == 0
	case *For:
		return len(s.Body) == 0
	}
	return false
}

func hasEffects(x Expr) bool {
	found := false
	WalkExpr(x, func(x Expr) {
		if c, ok := x.(*Call); ok && c.Callee.Effects {
			found = true
		}
	})
	return found
}
