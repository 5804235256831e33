package loop

import (
	"errors"
	"fmt"
	"strings"
)

// Profile is the set of nodes that a program may use besides the core.
type Profile uint8

// The profiles.
const (
	Simt  Profile = iota // work-items in work-groups: OpenCL C, CUDA C
	Cores                // goroutines: Go
)

// Verify returns what is wrong with p: types, variables used before they are
// declared or declared twice, assignments to constants or that would race,
// nodes of the other profile, and, for Simt, barriers and collective calls that
// not all work-items of their scope reach.
func Verify(p *Program, profile Profile) error {
	v := &verifier{profile: profile, funcs: map[*Signature]*Func{}}
	for _, f := range p.Funcs {
		v.function(f)
		v.funcs[f.Signature()] = f
	}
	if len(v.errs) == 0 && profile == Simt {
		for _, f := range p.Funcs {
			checkConverged(v, f)
		}
	}
	return errors.Join(v.errs...)
}

type verifier struct {
	profile Profile
	funcs   map[*Signature]*Func // those checked so far
	errs    []error

	f       *Func
	at      Stmt // for messages
	scopes  []map[*Var]bool
	known   map[*Var]bool // declared anywhere in f so far
	loops   int           // around the statement, inside the innermost concurrent body
	guarded int           // scopes below this one are outside of a concurrent body
	shared  map[*Var]bool // changed by the turns of the chain at hand: nothing else may read them
}

func (v *verifier) fail(format string, args ...any) {
	where := "func " + v.f.Name
	if v.at != nil {
		d := newDumper()
		d.stmt(v.at)
		where += ": " + strings.TrimSuffix(strings.SplitN(d.b.String(), "\n", 2)[0], " {")
	}
	v.errs = append(v.errs, fmt.Errorf("loop: %s: %s", where, fmt.Sprintf(format, args...)))
}

func (v *verifier) function(f *Func) {
	v.f, v.at, v.loops, v.guarded, v.shared = f, nil, 0, 0, nil
	v.known = map[*Var]bool{}
	v.scopes = []map[*Var]bool{{}}
	for _, p := range f.Params {
		v.declare(p)
	}
	v.kernel(f)
	v.otherwise(f)
	v.body(f.Body)
	v.at = nil
	for _, r := range f.Results {
		v.expr(r)
	}
}

// otherwise checks what a function of vectors returns without them.
func (v *verifier) otherwise(f *Func) {
	if f.Otherwise == nil {
		return
	}
	if v.profile != Cores || len(f.Otherwise) != len(f.Results) {
		v.fail("%d results without vectors, want %d", len(f.Otherwise), len(f.Results))
		return
	}
	for i, x := range f.Otherwise {
		v.expr(x)
		v.same("result without vectors", x, f.Results[i].Type())
	}
}

// kernel checks a function that the host can launch.
func (v *verifier) kernel(f *Func) {
	switch {
	case f.Occupancy < 0 || f.Occupancy > 0 && f.WorkgroupSize == 0:
		v.fail("registers for %d work-groups of %d work-items", f.Occupancy, f.WorkgroupSize)
	case !f.Kernel && f.WorkgroupSize != 0:
		v.fail("only a kernel has a work-group size")
	case !f.Kernel:
		return
	case v.profile == Cores:
		v.fail("profile cores has no kernels")
	case len(f.Results) > 0:
		v.fail("a kernel has no results")
	case f.WorkgroupSize < 0:
		v.fail("groups of %d work-items", f.WorkgroupSize)
	}
	for _, p := range f.Params {
		if p.T.Form != Scalar && (p.T.Form != Slice || p.T.Space != Global) {
			v.fail("parameter %s is %v; the host passes scalars and slices in global memory", p.Name, p.T)
		}
	}
}

func (v *verifier) declare(x *Var) {
	if v.known[x] {
		v.fail("%s is declared twice", x.Name)
	}
	v.known[x] = true
	v.scopes[len(v.scopes)-1][x] = true
	if v.profile == Cores && x.T.Space != Private {
		v.fail("%s is in %smemory, which profile cores has not", x.Name, spaceNames[x.T.Space])
	}
}

// depth returns the scope that x is declared in, or -1.
func (v *verifier) depth(x *Var) int {
	for i := len(v.scopes) - 1; i >= 0; i-- {
		if v.scopes[i][x] {
			return i
		}
	}
	return -1
}

// nested checks body in a scope of its own.
func (v *verifier) nested(body []Stmt, vars ...*Var) {
	v.scopes = append(v.scopes, map[*Var]bool{})
	for _, x := range vars {
		v.declare(x)
	}
	v.body(body)
	v.scopes = v.scopes[:len(v.scopes)-1]
}

// concurrent checks bodies of which several instances run at the same time.
func (v *verifier) concurrent(check func()) {
	loops, guarded := v.loops, v.guarded
	v.loops, v.guarded = 0, len(v.scopes)
	check()
	v.loops, v.guarded = loops, guarded
}

func (v *verifier) body(body []Stmt) {
	for _, s := range body {
		outer := v.at
		v.at = s
		v.stmt(s)
		v.at = outer
	}
}

func (v *verifier) stmt(s Stmt) {
	switch s.(type) {
	case *Barrier, *Fence, *Role, *Child, *LoadWide, *StoreWide:
		if v.profile == Cores {
			v.fail("profile cores has no such statement")
			return
		}
	case *Parallel, *Chain, *Blocks, *Grow, *View, *Copy, *StoreLanes:
		if v.profile == Simt {
			v.fail("profile simt has no such statement")
			return
		}
	}
	for _, x := range operands(s) {
		v.expr(x)
	}
	switch s := s.(type) {
	case *Decl:
		v.decl(s)
	case *Let:
		v.same("value", s.X, s.Var.T)
		v.bindValue(s.Var)
	case *Assign:
		v.assigned(s.Var)
		if s.X.Type().AsReadOnly() != s.Var.T { // what nothing is stored to may be any memory
			v.same("value", s.X, s.Var.T)
		}
	case *Store:
		v.stored(s.Memory, s.Index)
		v.same("value", s.X, s.Memory.T.Elem())
	case *StoreLanes:
		v.stored(s.Memory, s.Index)
		if t := s.X.Type(); t.Form != Vector {
			v.fail("the value is %v, want a vector", t)
		} else {
			v.same("value", s.X, VectorOf(t.Len, s.Memory.T))
		}
	case *LoadWide:
		v.wide(s.Memory, s.Index, len(s.Vars))
		for _, x := range s.Vars {
			if x.T != s.Memory.T.Elem() {
				v.fail("%s is %v, want %v", x.Name, x.T, s.Memory.T.Elem())
			}
			v.bindValue(x)
		}
	case *StoreWide:
		v.stored(s.Memory, s.Index)
		v.wide(s.Memory, s.Index, len(s.X))
		for _, x := range s.X {
			v.same("value", x, s.Memory.T.Elem())
		}
	case *Atomic:
		v.atomic(s)
	case *If:
		v.same("condition", s.Cond, Bool)
		v.nested(s.Then)
		v.nested(s.Else)
	case *For:
		v.forLoop(s)
	case *While:
		v.same("condition", s.Cond, Bool)
		v.loops++
		v.nested(s.Body)
		v.loops--
	case *Break:
		if v.loops == 0 {
			v.fail("no loop to leave")
		}
	case *Do:
		v.do(s)
	case *Fence:
	case *Barrier:
		if s.Scope == DeviceScope {
			v.fail("no barrier spans the device")
		}
	case *Role:
		if s.First < 0 || s.Count < 1 {
			v.fail("no subgroups")
		}
		v.concurrent(func() { v.nested(s.Body) })
	case *Child:
		v.child(s)
	case *Parallel:
		v.rows(s.Rows, s.Workers, s.Grain)
		v.concurrent(func() { v.nested(s.Body, s.Worker, s.Lo, s.Hi) })
	case *Chain:
		v.chain(s)
	case *Blocks:
		v.rows(s.Rows, Int(1), s.Block)
		v.nested(s.Body, s.Lo, s.Hi)
	case *Grow:
		for _, column := range s.Columns {
			if column.T.Form != Slice || column.T.ReadOnly {
				v.fail("%s does not grow", column.T)
			}
			v.assigned(column)
		}
		for _, x := range []Expr{s.Used, s.Need, s.Done, s.Rows} {
			v.same("number", x, Counter)
		}
	case *View:
		v.view(s)
	case *Copy:
		v.same("place", s.At, Counter)
		v.same("count", s.Count, Counter)
		if s.To.T.Form != Slice || s.From.T.Form != Slice || s.To.T.Elem() != s.From.T.Elem() || s.To.T.ReadOnly {
			v.fail("%s cannot be copied to %s", s.From.T, s.To.T)
		}
	}
}

func (v *verifier) same(what string, x Expr, want Type) {
	if x == nil || x.Type() == want {
		return
	}
	v.fail("the %s is %v, want %v", what, x.Type(), want)
}

// bindValue declares x, which holds one value and never changes.
func (v *verifier) bindValue(x *Var) {
	if x.Changes {
		v.fail("%s is said to change, but only variables of Decl do", x.Name)
	}
	v.declare(x)
}

func (v *verifier) decl(s *Decl) {
	switch s.Var.T.Form {
	case Scalar, Vector:
		v.same("first value", s.Init, s.Var.T)
		if !s.Var.Changes {
			v.fail("%s is not said to change; a value that does not is a Let", s.Var.Name)
		}
		if s.Length != nil {
			v.fail("one value has no length")
		}
	case Array:
		if s.Init != nil || s.Length != nil || s.Var.T.Len < 1 {
			v.fail("an array is declared by the length in its type, at least 1")
		}
		if s.Kept && (v.profile == Cores || s.Var.T.Space != Private) {
			v.fail("only private arrays may be declared Kept")
		}
	case Slice:
		if s.Kept && v.guarded > 0 {
			v.fail("what an earlier call has left is declared where one worker runs")
		}
		if s.Init != nil {
			v.same("memory", s.Init, s.Var.T)
		} else if s.Length == nil {
			v.fail("a slice is declared with a length")
		} else {
			v.same("length", s.Length, Counter)
		}
	default:
		v.fail("a window is bound by View")
	}
	switch space := s.Var.T.Space; {
	case s.Var.T.Form == Slice && v.profile == Simt:
		v.fail("only storage of a constant length is declared here")
	case space == Global || space != Private && s.Var.T.Form == Scalar:
		v.fail("nothing is declared in %smemory", spaceNames[space])
	case space == Local && (!v.f.Kernel || len(v.scopes) > 1):
		v.fail("local storage is declared in the outermost body of a kernel")
	}
	v.over(s)
	v.declare(s.Var)
}

// assigned checks that the statement at hand may change x.
func (v *verifier) assigned(x *Var) {
	depth := v.depth(x)
	switch {
	case depth < 0:
		v.fail("%s is not declared here", x.Name)
	case !x.Changes:
		v.fail("%s does not change", x.Name)
	case depth < v.guarded:
		v.fail("%s is shared by bodies that run at the same time", x.Name)
	}
}

func (v *verifier) stored(m *Var, index Expr) {
	switch {
	case !m.T.IsMemory():
		v.fail("%s is no memory", m.Name)
	case m.T.ReadOnly:
		v.fail("%s is read-only", m.Name)
	}
	v.index(index)
}

func (v *verifier) index(x Expr) {
	if t := x.Type(); t.IsMemory() || !t.Kind.IsInteger() {
		v.fail("the index is %v, want an integer", t)
	}
}

func (v *verifier) atomic(s *Atomic) {
	v.stored(s.Memory, s.Index)
	elem := s.Memory.T.Elem()
	v.same("value", s.X, elem)
	v.same("expected value", s.Expected, elem)
	sum := v.profile == Simt && s.Op == AtomicAdd && elem.Kind.IsFloat()
	if !sum && (elem.Counter || !elem.Kind.IsInteger() || elem.Kind.Size() < 4) {
		v.fail("no atomic works on %v, only on i32 i64 u32 u64", elem)
	}
	if (s.Expected != nil) != (s.Op == AtomicCompareExchange) {
		v.fail("an expected value is for compare_exchange, and only for it")
	}
	if s.Old != nil {
		if s.Old.T != elem {
			v.fail("the value before is %v, want %v", s.Old.T, elem)
		}
		v.bindValue(s.Old)
	}
}

func (v *verifier) view(s *View) {
	v.same("start", s.Start, Counter)
	v.same("end", s.End, Counter)
	want := s.Memory.T
	want.Form, want.Len = s.Var.T.Form, s.Var.T.Len
	switch {
	case s.Memory.T.Form != Slice && s.Memory.T.Form != Array:
		v.fail("%s is no slice", s.Memory.Name)
	case s.Var.T.ReadOnly != s.Memory.T.ReadOnly && !s.Var.T.ReadOnly:
		v.fail("%s is read-only, its view is not", s.Memory.Name)
	case s.Var.T.AsReadOnly() != want.AsReadOnly() || s.Var.T.Form != Slice && s.Var.T.Form != Window:
		v.fail("%s is no part of %s", s.Var.T, s.Memory.T)
	case s.Var.T.Form == Window && (s.End != nil || s.Var.T.Len < 1):
		v.fail("a window ends where its length, at least 1, says")
	}
	if s.Var != s.Memory {
		v.bindValue(s.Var)
	} else if v.depth(s.Var) < v.guarded {
		v.fail("%s is shared by bodies that run at the same time", s.Var.Name)
	}
}
