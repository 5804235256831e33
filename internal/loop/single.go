package loop

import "github.com/kgen-go/kgen/ir"

// SingleWorkItem simplifies a kernel whose work-groups have one work-item: it is number 0, waits for nobody at
// barriers, and changes local memory without atomic operations.
func SingleWorkItem(f *Func) {
	f.Body = alone(f.Body)
}

func alone(body []Stmt) (list []Stmt) {
	for _, s := range body {
		switch s := s.(type) {
		case *Barrier:
			continue
		case *Let:
			if id, isID := s.X.(*ID); isID && id.Kind == LocalID {
				s.X = Int(0)
			}
		case *Atomic:
			if s.Memory.T.Space == Local {
				list = append(list, plainly(s)...)
				continue
			}
		}
		for _, nested := range bodies(s) {
			*nested = alone(*nested)
		}
		list = append(list, s)
	}
	return list
}

// plainly returns what an atomic operation does if nobody else changes the memory.
func plainly(s *Atomic) []Stmt {
	at := &Var{Name: "at", T: s.Index.Type()}
	old := s.Old
	if old == nil {
		old = &Var{Name: "old", T: s.Memory.T.Elem()}
	}
	return []Stmt{
		&Let{at, s.Index},
		&Let{old, &Load{Memory: s.Memory, Index: at}},
		&Store{s.Memory, at, s.after(old)},
	}
}

// after returns the value that s leaves where old was.
func (s *Atomic) after(old Expr) Expr {
	switch s.Op {
	case AtomicExchange:
		return s.X
	case AtomicCompareExchange:
		return Choose(compare(ir.OpEq, old, s.Expected), s.X, old)
	}
	for op, atomic := range atomicOps {
		if atomic == s.Op {
			return Apply(op, old, s.X)
		}
	}
	panic("loop: no operator is like " + s.Op.String())
}
