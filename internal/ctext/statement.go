package ctext

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// block prints a body in a scope of its own, between an opening and a closing line.
func (p *printer) block(body []loop.Stmt) {
	p.names.Push()
	p.depth++
	p.statements(body)
	p.depth--
	p.names.Pop()
}

func (p *printer) statements(body []loop.Stmt) {
	for _, s := range body {
		p.statement(s)
	}
}

func (p *printer) statement(s loop.Stmt) {
	switch s := s.(type) {
	case *loop.Note:
		for _, line := range comment(s.Text) {
			p.line("%s", line)
		}
	case *loop.Decl:
		p.decl(s)
	case *loop.Let:
		if !p.read[s.Var] { // a call for its effects
			p.line("(void)%s;", p.value(s.X).within(unaryPrecedence))
			return
		}
		value := p.initial(s.X)
		p.line("const %s %s = %s;", p.valueType(s.Var.T), p.names.Declare(s.Var), value)
	case *loop.Assign:
		if s.X != loop.Expr(s.Var) {
			p.update(p.use(s.Var), s.X, func(x loop.Expr) bool { return x == s.Var })
		}
	case *loop.Store:
		p.store(s)
	case *loop.LoadWide:
		p.loadWide(s)
	case *loop.StoreWide:
		p.storeWide(s)
	case *loop.Atomic:
		p.atomic(s)
	case *loop.If:
		p.branch("if", s)
		p.line("}")
	case *loop.For:
		p.counted(s)
	case *loop.While:
		p.line("while (%s) {", p.value(s.Cond).string)
		p.block(s.Body)
		p.line("}")
	case *loop.Break:
		p.line("break;")
	case *loop.Do:
		p.do(s)
	case *loop.Barrier:
		switch {
		case s.Scope == loop.WorkgroupScope:
			p.line("%s", p.dialect.Barrier(p.orderGlobal))
		case s.Scope == loop.SubgroupScope && p.dialect.SubgroupBarrier != "":
			p.line("%s", p.dialect.SubgroupBarrier)
		default:
			p.fail("there is no barrier of a %v", s.Scope)
		}
	case *loop.Role:
		p.role(s)
	case *loop.Child:
		p.child(s)
	case *loop.Fence:
		// Between work-groups, flag and value have to share a word.
		if s.Scope != loop.WorkgroupScope {
			p.fail("there is no fence for a %v", s.Scope)
			return
		}
		p.line("%s", p.dialect.Fence)
	default:
		p.fail("there is no text for %T", s)
	}
}

// role prints a condition on the work-items of some subgroups.
func (p *printer) role(s *loop.Role) {
	if p.dialect.Subgroup == 0 {
		p.fail("there is no subgroup to %s", s.Name)
		return
	}
	lane, size := p.dialect.IDs[loop.LocalID], p.dialect.Subgroup
	condition := fmt.Sprintf("%s < %d", lane, (s.First+s.Count)*size)
	if s.First > 0 {
		condition = fmt.Sprintf("%s >= %d && %s", lane, s.First*size, condition)
	}
	p.line("if (%s) { // %s", condition, s.Name)
	p.block(s.Body)
	p.line("}")
}

// child prints the launch of a kernel by another one.
func (p *printer) child(s *loop.Child) {
	if p.dialect.Child == nil {
		p.fail("kernels launch no kernels")
		return
	}
	p.needs[plan.CapChildLaunch] = true
	var args []string
	for i, x := range s.Args {
		if isPacked(s.Kernel.Params[i].T) {
			p.fail("%s of a launch is packed", s.Kernel.Params[i].Name)
		}
		args = append(args, p.value(x).string)
	}
	launch, failed := p.dialect.Child(p.funcs[s.Kernel.Signature()].name, p.value(s.Workgroups).string, s.Kernel.WorkgroupSize, args)
	p.line("%s", launch)
	p.line("if (%s) {", failed)
	p.block(s.Otherwise)
	p.line("}")
}

func (p *printer) decl(s *loop.Decl) {
	t := s.Var.T
	switch {
	case s.Over != nil:
		element := p.dialect.Space[t.Space] + p.memoryType(t)
		p.line("%s *const %s = (%s *)%s;", element, p.names.Declare(s.Var), element, p.use(s.Over))
	case s.Launch && p.dialect.Launched == "":
		p.fail("no launch brings local memory")
	case s.Launch && !p.dialect.Declares:
		p.line("%s%s %s[];", p.dialect.Launched, p.memoryType(t), p.names.Declare(s.Var))
	case t.Form == loop.Array && t.Space == loop.Local:
		kernel := &p.kernels[len(p.kernels)-1]
		kernel.LocalBytes += int64(t.Len) * int64(t.Kind.Size())
		qualifier := p.dialect.Local
		switch {
		case s.Launch:
			qualifier = p.dialect.Launched
		case p.wide[s.Var]:
			qualifier += p.dialect.Align
		}
		p.line("%s%s %s[%d];", qualifier, p.memoryType(t), p.names.Declare(s.Var), t.Len)
	case t.Form == loop.Array && s.Kept:
		p.line("%s %s[%d];", p.memoryType(t), p.names.Declare(s.Var), t.Len)
	case t.Form == loop.Array:
		p.line("%s %s[%d] = {0};", p.memoryType(t), p.names.Declare(s.Var), t.Len)
	case s.Init == nil:
		p.line("%s %s = 0;", p.valueType(t), p.names.Declare(s.Var))
	default:
		value := p.initial(s.Init)
		p.line("%s %s = %s;", p.valueType(t), p.names.Declare(s.Var), value)
	}
}

// initial prints x where the declaration determines its type.
func (p *printer) initial(x loop.Expr) string {
	if c, ok := x.(*loop.Const); ok {
		return p.plain(c).string
	}
	return p.value(x).string
}

func (p *printer) store(s *loop.Store) {
	target := p.element(s.Memory, s.Index)
	if isSwapped(s.Memory.T) {
		p.line("%s = %s(%s);", target, p.helper("swap_char8"), p.value(s.X).string)
		return
	}
	p.update(target, s.X, func(x loop.Expr) bool {
		l, ok := x.(*loop.Load)
		return ok && !l.Volatile && l.Memory == s.Memory && isSame(l.Index, s.Index)
	})
}

// isSame reports whether x and y are one variable or equal literals.
func isSame(x, y loop.Expr) bool {
	if a, ok := x.(*loop.Const); ok {
		b, ok := y.(*loop.Const)
		return ok && *a == *b
	}
	_, ok := x.(*loop.Var)
	return ok && x == y
}

// update prints target = x, as target op= y or target++ if the result is the same.
func (p *printer) update(target string, x loop.Expr, isTarget func(loop.Expr) bool) {
	b, ok := x.(*loop.Binary)
	if !ok || !slices.Contains([]ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul}, b.Op) || !isTarget(b.X) || isWrapped(b.Type()) ||
		p.dialect.Floats[b.Op][b.Type().Kind] != "" {
		p.line("%s = %s;", target, p.initial(x))
		return
	}
	p.noteRounding(b)
	if c, ok := b.Y.(*loop.Const); ok && c.Value.Kind.IsInteger() && c.Value.Int64() == 1 && b.Op != ir.OpMul {
		p.line("%s%s;", target, strings.Repeat(operators[b.Op].token, 2))
		return
	}
	p.line("%s %s= %s;", target, operators[b.Op].token, p.initial(b.Y))
}

// branch prints an if without the brace that ends it.
func (p *printer) branch(keyword string, s *loop.If) {
	if len(s.Then) == 0 {
		s = &loop.If{Cond: loop.Not(s.Cond), Then: s.Else}
	}
	p.line("%s (%s) {", keyword, p.value(s.Cond).string)
	p.block(s.Then)
	if len(s.Else) == 0 {
		return
	}
	if next, ok := s.Else[0].(*loop.If); ok && len(s.Else) == 1 {
		p.branch("} else if", next)
		return
	}
	p.line("} else {")
	p.block(s.Else)
}

func (p *printer) counted(s *loop.For) {
	lo, hi := p.initial(s.Lo), p.initial(s.Hi)
	p.names.Push()
	defer p.names.Pop()
	name := p.names.Declare(s.Var)
	end := ""
	if v, isVar := s.Hi.(*loop.Var); !isVar || v.Changes {
		if _, isConst := s.Hi.(*loop.Const); !isConst {
			end = p.names.Fresh(s.Var.Name + "_end")
			hi, end = end, fmt.Sprintf(", %s = %s", end, hi)
		}
	}
	step := name + "++"
	if s.Step != 1 {
		step = fmt.Sprintf("%s += %d", name, s.Step)
	}
	if p.dialect.Unroll != "" && isShort(s) {
		p.line("%s", p.dialect.Unroll)
	}
	p.line("for (%s %s = %s%s; %s < %s; %s) {", p.valueType(s.Var.T), name, lo, end, name, hi, step)
	p.block(s.Body)
	p.line("}")
}

// isShort reports whether a loop has a small, constant number of iterations. If
// it is unrolled, the arrays that it indexes can be registers.
func isShort(s *loop.For) bool {
	lo, isConst := s.Lo.(*loop.Const)
	hi, isConstHi := s.Hi.(*loop.Const)
	return isConst && isConstHi && (hi.Value.Int64()-lo.Value.Int64())/s.Step <= 32
}

// do prints a call. Several results come in a structure.
func (p *printer) do(s *loop.Do) {
	call := p.call(s.Call)
	bound := slices.DeleteFunc(slices.Clone(s.Results), func(v *loop.Var) bool { return v == nil })
	if len(bound) == 0 {
		p.line("%s;", call)
		return
	}
	bind := func(v *loop.Var, value string) {
		if v.Changes {
			p.line("%s = %s;", p.use(v), value)
			return
		}
		p.line("const %s %s = %s;", p.valueType(v.T), p.names.Declare(v), value)
	}
	f := p.funcs[s.Call.Callee]
	if len(s.Results) == 1 || f == nil {
		bind(bound[0], call)
		return
	}
	all := p.names.Fresh("results")
	p.line("const %s %s = %s;", f.results, all, call)
	for i, v := range s.Results {
		if v != nil {
			bind(v, all+"."+field(i))
		}
	}
}

func (p *printer) atomic(s *loop.Atomic) {
	t := s.Memory.T
	args := []string{p.value(s.X).string}
	if s.Expected != nil {
		args = []string{p.value(s.Expected).string, args[0]}
	}
	address := "&" + p.element(s.Memory, s.Index)
	var call string
	switch {
	case t.Kind.IsFloat():
		p.needRounding(t.Kind)
		space := map[loop.Space]string{loop.Local: "local", loop.Global: "global"}[t.Space]
		call = fmt.Sprintf("%s(%s, %s)", p.helper("atomic_add_"+t.Kind.String()+"_"+space), address, args[0])
	case t.Space == loop.Private:
		p.fail("%s is private, and atomics work on shared memory", s.Memory.Name)
		return
	default:
		if t.Kind.Size() == 8 {
			p.needs[plan.CapAtomicsI64] = true
		}
		call = p.dialect.Atomic(s.Op, t.Kind, address, args)
	}
	if s.Old == nil {
		p.line("%s;", call)
		return
	}
	p.line("const %s %s = %s;", p.valueType(s.Old.T), p.names.Declare(s.Old), call)
}
