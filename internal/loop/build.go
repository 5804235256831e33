package loop

import "github.com/kgen-go/kgen/ir"

// Builder appends statements to a function. Nested bodies are written in Go
// functions, during which the builder appends to that body:
//
//	b := loop.NewBuilder("sum")
//	x := b.Param("x", loop.SliceOf(loop.ScalarOf(ir.I64)))
//	total := b.Decl("total", loop.ConstOf(ir.Int(ir.I64, 0)))
//	b.For("i", loop.Int(0), loop.LenOf(x), func(i *loop.Var) {
//		b.Assign(total, loop.Add(total, loop.At(x, i)))
//	})
//	f := b.Func(total)
type Builder struct {
	f    *Func
	body *[]Stmt
}

// NewBuilder starts the function name.
func NewBuilder(name string) *Builder {
	b := &Builder{f: &Func{Name: name}}
	b.body = &b.f.Body
	return b
}

// Doc sets the comment of the function.
func (b *Builder) Doc(text string) { b.f.Doc = text }

// Kernel makes the function a kernel; see [Func].
func (b *Builder) Kernel(groupSize int) { b.f.Kernel, b.f.WorkgroupSize = true, groupSize }

// Param appends a parameter.
func (b *Builder) Param(name string, t Type) *Var {
	v := &Var{Name: name, T: t}
	b.f.Params = append(b.f.Params, v)
	return v
}

// Params returns the parameters so far.
func (b *Builder) Params() []*Var { return b.f.Params }

// Func ends the function, which returns results.
func (b *Builder) Func(results ...Expr) *Func {
	b.f.Results = results
	return b.f
}

// Add appends existing statements.
func (b *Builder) Add(s ...Stmt) { *b.body = append(*b.body, s...) }

// Let names the value of x. A literal, or a variable that does not change, is
// returned as it is: a second name would say nothing.
func (b *Builder) Let(name string, x Expr) Expr {
	switch x := x.(type) {
	case *Const:
		return x
	case *Var:
		if !x.Changes {
			return x
		}
	}
	v := &Var{Name: name, T: x.Type()}
	b.Add(&Let{v, x})
	return v
}

// Decl declares a variable that starts as init.
func (b *Builder) Decl(name string, init Expr) *Var {
	v := &Var{Name: name, T: init.Type(), Changes: true}
	b.Add(&Decl{Var: v, Init: init})
	return v
}

// Storage declares zeroed storage of form Array.
func (b *Builder) Storage(name string, t Type) *Var {
	v := &Var{Name: name, T: t}
	b.Add(&Decl{Var: v})
	return v
}

// KeptStorage declares storage of form Array that holds anything at first.
func (b *Builder) KeptStorage(name string, t Type) *Var {
	v := &Var{Name: name, T: t}
	b.Add(&Decl{Var: v, Kept: true})
	return v
}

// Make declares a slice of length zeros of t's scalar type.
func (b *Builder) Make(name string, t Type, length Expr) *Var {
	v := &Var{Name: name, T: SliceOf(t)}
	b.Add(&Decl{Var: v, Length: length})
	return v
}

// MakeKept declares a slice of length elements, which may be anything that an earlier call has left.
func (b *Builder) MakeKept(name string, t Type, length Expr) *Var {
	v := b.Make(name, t, length)
	(*b.body)[len(*b.body)-1].(*Decl).Kept = true
	return v
}

// Assign changes v to x.
func (b *Builder) Assign(v *Var, x Expr) { b.Add(&Assign{v, x}) }

// Store stores x at m[i].
func (b *Builder) Store(m *Var, i, x Expr) { b.Add(&Store{m, i, x}) }

// Atomic changes m[i] by x.
func (b *Builder) Atomic(op AtomicOp, m *Var, i, x Expr) {
	b.Add(&Atomic{Op: op, Memory: m, Index: i, X: x})
}

// AtomicOld changes m[i] by x and returns the value before.
func (b *Builder) AtomicOld(name string, op AtomicOp, m *Var, i, x Expr) *Var {
	old := &Var{Name: name, T: m.T.Elem()}
	b.Add(&Atomic{Op: op, Memory: m, Index: i, X: x, Old: old})
	return old
}

// CompareExchange stores x at m[i] if the value there is expected, and returns
// the value before.
func (b *Builder) CompareExchange(name string, m *Var, i, expected, x Expr) *Var {
	old := &Var{Name: name, T: m.T.Elem()}
	b.Add(&Atomic{Op: AtomicCompareExchange, Memory: m, Index: i, X: x, Expected: expected, Old: old})
	return old
}

// LoadInside returns the element of memory at a place, which fits an index type, or zero if that lies outside.
func (b *Builder) LoadInside(name string, m *Var, at, length Expr, index Type) *Var {
	at = b.Let("at", at)
	x := b.Decl(name, ConstOf(ir.Scalar{Kind: m.T.Kind}))
	b.If(Inside(at, length), func() { b.Assign(x, At(m, To(index, at))) }, nil)
	return x
}

// If runs then if cond holds, else otherwise, which may be nil.
func (b *Builder) If(cond Expr, then, otherwise func()) {
	s := &If{Cond: cond}
	b.Add(s)
	b.in(&s.Then, then)
	if otherwise != nil {
		b.in(&s.Else, otherwise)
	}
}

// For runs body for i = lo .. hi-1.
func (b *Builder) For(name string, lo, hi Expr, body func(i *Var)) { b.ForStep(name, lo, hi, 1, body) }

// ForStep runs body for i = lo, lo+step, ... below hi.
func (b *Builder) ForStep(name string, lo, hi Expr, step int64, body func(i *Var)) {
	s := &For{Var: &Var{Name: name, T: lo.Type()}, Lo: lo, Hi: hi, Step: step}
	b.Add(s)
	b.in(&s.Body, func() { body(s.Var) })
}

// While runs body as long as cond holds.
func (b *Builder) While(cond Expr, body func()) {
	s := &While{Cond: cond}
	b.Add(s)
	b.in(&s.Body, body)
}

// Break leaves the innermost loop.
func (b *Builder) Break() { b.Add(&Break{}) }

// Note appends a comment.
func (b *Builder) Note(text string) { b.Add(&Note{text}) }

// Do calls callee and returns variables for its results, called names.
func (b *Builder) Do(callee *Signature, args []Expr, names ...string) []*Var {
	s := &Do{Call: &Call{callee, args}}
	for i, t := range callee.Results {
		name := "result"
		if i < len(names) {
			name = names[i]
		}
		s.Results = append(s.Results, &Var{Name: name, T: t})
	}
	b.Add(s)
	return s.Results
}

// Parallel cuts rows into ranges for workers; see [Parallel].
func (b *Builder) Parallel(rows, workers Expr, grain int64, body func(worker, lo, hi *Var)) *Parallel {
	s := &Parallel{Rows: rows, Workers: workers, Grain: grain,
		Worker: &Var{Name: "worker", T: Counter}, Lo: &Var{Name: "lo", T: Counter}, Hi: &Var{Name: "hi", T: Counter}}
	b.Add(s)
	b.in(&s.Body, func() { body(s.Worker, s.Lo, s.Hi) })
	return s
}

// Window views n values of m from start on through a pointer.
func (b *Builder) Window(name string, m *Var, start Expr, n int) *Var {
	t := m.T
	t.Form, t.Len = Window, n
	v := &Var{Name: name, T: t}
	b.Add(&View{Var: v, Memory: m, Start: start})
	return v
}

// Slice views m[start:end].
func (b *Builder) Slice(name string, m *Var, start, end Expr) *Var {
	t := m.T
	t.Form, t.Len = Slice, 0
	v := &Var{Name: name, T: t}
	b.Add(&View{Var: v, Memory: m, Start: start, End: end})
	return v
}

// Cut narrows the slice m to m[start:end]; a nil end is the end of m.
func (b *Builder) Cut(m *Var, start, end Expr) {
	b.Add(&View{Var: m, Memory: m, Start: start, End: end})
}

// ChainParts are the bodies of a [Chain]; nil ones are empty.
type ChainParts struct {
	Dealt               bool
	Setup               func(worker *Var) // nil unless Dealt
	Before, Turn, After func(lo, hi *Var)
	More                []ChainTurnParts
	Finish              func()
}

// ChainTurnParts are the bodies of a [ChainTurn].
type ChainTurnParts struct{ Before, Turn func(lo, hi *Var) }

// Chain runs blocks of rows on workers with a part in block order; see [Chain].
func (b *Builder) Chain(rows, workers Expr, block int64, parts ChainParts) *Chain {
	s := &Chain{Rows: rows, Workers: workers, Block: block, Lo: &Var{Name: "lo", T: Counter}, Hi: &Var{Name: "hi", T: Counter}}
	b.Add(s)
	if parts.Dealt {
		s.Worker = &Var{Name: "worker", T: Counter}
	}
	if parts.Setup != nil {
		b.in(&s.Setup, func() { parts.Setup(s.Worker) })
	}
	part := func(body *[]Stmt, write func(lo, hi *Var)) {
		if write != nil {
			b.in(body, func() { write(s.Lo, s.Hi) })
		}
	}
	part(&s.Before, parts.Before)
	part(&s.Turn, parts.Turn)
	s.More = make([]ChainTurn, len(parts.More))
	for i, more := range parts.More {
		part(&s.More[i].Before, more.Before)
		part(&s.More[i].Turn, more.Turn)
	}
	part(&s.After, parts.After)
	if parts.Finish != nil {
		b.in(&s.Finish, parts.Finish)
	}
	return s
}

// Blocks runs body for blocks of rows in their order; see [Blocks].
func (b *Builder) Blocks(rows Expr, block int64, body func(lo, hi *Var)) {
	s := &Blocks{Rows: rows, Block: block, Lo: &Var{Name: "lo", T: Counter}, Hi: &Var{Name: "hi", T: Counter}}
	b.Add(s)
	b.in(&s.Body, func() { body(s.Lo, s.Hi) })
}

// Copy stores the first count elements of from at to[at] and the elements after
// it.
func (b *Builder) Copy(to *Var, at Expr, from *Var, count Expr) {
	b.Add(&Copy{To: to, From: from, At: at, Count: count})
}

// Barrier waits for all work-items of scope.
func (b *Builder) Barrier(s Scope) { b.Add(&Barrier{s}) }

// Fence orders memory accesses for scope.
func (b *Builder) Fence(s Scope) { b.Add(&Fence{s}) }

// Role runs body on count subgroups of each work-group, starting with first.
func (b *Builder) Role(name string, first, count int, body func()) {
	s := &Role{Name: name, First: first, Count: count}
	b.Add(s)
	b.in(&s.Body, body)
}

// Child launches a kernel for a grid of work-groups; otherwise writes what runs where the
// device has no room for that.
func (b *Builder) Child(kernel *Func, workgroups Expr, args []Expr, otherwise func()) {
	s := &Child{Kernel: kernel, Workgroups: workgroups, Args: args}
	b.Add(s)
	b.in(&s.Otherwise, otherwise)
}

func (b *Builder) in(body *[]Stmt, write func()) {
	outer := b.body
	b.body = body
	write()
	b.body = outer
}
