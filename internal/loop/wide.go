package loop

// WideBytes is the width of the widest access to memory.
const WideBytes = 16

// Wide returns how many elements of t one access of WideBytes moves, or 0 if
// memory of t takes no such access.
func Wide(t Type) int {
	size := t.Kind.Size()
	if t.Space == Private || size != 4 && size != 8 || !t.Kind.IsInteger() && !t.Kind.IsFloat() && size != 4 {
		return 0
	}
	return WideBytes / size
}

// LoadWide names the elements of m that begin at i, as many as [Wide] says.
func (b *Builder) LoadWide(name string, m *Var, i Expr) []Expr {
	return b.loadWide(name, &LoadWide{Memory: m, Index: i})
}

// LoadWideOnce is LoadWide of elements that nothing else reads.
func (b *Builder) LoadWideOnce(name string, m *Var, i Expr) []Expr {
	return b.loadWide(name, &LoadWide{Memory: m, Index: i, Once: true})
}

func (b *Builder) loadWide(name string, s *LoadWide) []Expr {
	m := s.Memory
	values := make([]Expr, Wide(m.T))
	for j := range values {
		v := &Var{Name: name, T: m.T.Elem()}
		s.Vars = append(s.Vars, v)
		values[j] = v
	}
	b.Add(s)
	return values
}

// StoreWide stores values at m[i] and after it.
func (b *Builder) StoreWide(m *Var, i Expr, values []Expr) {
	b.Add(&StoreWide{m, i, values})
}

func (v *verifier) wide(m *Var, index Expr, count int) {
	v.index(index)
	if n := Wide(m.T); !m.T.IsMemory() || n == 0 || n != count {
		v.fail("%d elements of %v are no access of %d bytes", count, m.T, WideBytes)
	}
}

// over checks storage that shares the bytes of other storage.
func (v *verifier) over(s *Decl) {
	if s.Launch && (s.Var.T.Form != Array || s.Var.T.Space != Local || s.Over != nil) {
		v.fail("a launch brings arrays in local memory")
	}
	if s.Over == nil {
		return
	}
	bytes := func(t Type) int { return t.Len * t.Kind.Size() }
	if s.Var.T.Form != Array || s.Var.T.Space != Local || s.Over.T.Form != Array || s.Over.T.Space != Local || bytes(s.Var.T) > bytes(s.Over.T) {
		v.fail("%v does not lie over %v", s.Var.T, s.Over.T)
	}
}
