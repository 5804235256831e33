package gocpu

import (
	"fmt"
	"math"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/plan"
)

// counter returns a plan expression as a counter of rows.
func (h *host) counter(e plan.Expr) loop.Expr {
	arg := func(i int) loop.Expr { return h.counter(e.Args[i]) }
	switch e.Op {
	case plan.OpConst:
		return loop.Int(e.Const)
	case plan.OpScalar:
		if x := h.env.scalars[e.Name]; x != nil {
			return loop.ToCounter(x)
		}
		return h.otherwise(e.Name)
	case plan.OpLen:
		return h.length(e.Name)
	case plan.OpAdd:
		return loop.Add(arg(0), arg(1))
	case plan.OpSub:
		return loop.Sub(arg(0), arg(1))
	case plan.OpMul:
		return loop.Mul(arg(0), arg(1))
	case plan.OpMax:
		return loop.Greatest(arg(0), arg(1))
	case plan.OpMin:
		return loop.Least(arg(0), arg(1))
	case plan.OpLt:
		return loop.Lt(arg(0), arg(1))
	case plan.OpEq:
		return loop.Eq(arg(0), arg(1))
	case plan.OpCeilDiv:
		return loop.Div(loop.Add(arg(0), loop.Sub(arg(1), loop.Int(1))), arg(1))
	}
	panic("gocpu: no Go for the plan's " + string(e.Op))
}

// otherwise returns the value of a scalar that only another branch computes.
func (h *host) otherwise(scalar string) loop.Expr {
	for _, s := range h.plan.Scalars {
		if s.Name == scalar && s.Init != "" {
			bits, err := s.Kind.Parse(s.Init)
			if err != nil {
				panic("gocpu: " + err.Error())
			}
			return loop.ToCounter(loop.ConstOf(scalarOf(s.Kind, bits)))
		}
	}
	panic("gocpu: nothing computes " + scalar)
}

// lengthOf returns how long memory is that the steps at hand allocate.
func (h *host) lengthOf(b plan.Buffer) plan.Expr { return b.Length.Assuming(h.positive) }

// length returns the length of a domain of the plan.
func (h *host) length(domain string) loop.Expr {
	if x, ok := h.env.scalars[lengthKey(domain)]; ok {
		return loop.ToCounter(x)
	}
	for _, d := range h.plan.Domains {
		if d.Name == domain {
			return h.counter(d.Len)
		}
	}
	panic("gocpu: no domain " + domain)
}

// declareBuffer adds the variable of a buffer.
func (h *host) declareBuffer(b plan.Buffer) {
	v := &loop.Var{Name: withoutNumber(b.Name), T: loop.SliceOf(loop.ScalarOf(kindOf(b.Kind)))}
	if b.Role == plan.Errors {
		h.env.buffers[errorsKey] = v
		v.Name = "failed"
	}
	h.env.buffers[b.Name] = v
}

// alloc adds the allocation of a buffer. Results use the caller's memory if it is
// large enough. Other buffers use the memory that earlier calls have left.
func (h *host) alloc(b plan.Buffer) {
	v := h.env.buffers[b.Name]
	h.limit(b)
	length := h.expr(h.counter(h.lengthOf(b))).code
	for _, port := range h.plan.Ports {
		if port.Direction == plan.Out && port.Buffer == b.Name {
			h.column(v, port, length)
			return
		}
	}
	var memory jen.Code
	if grown := h.env.grown[b.Name]; grown != nil {
		h.temporaries = true
		h.kept[b.Name] = h.names.Fresh(v.Name + "_kept")
		h.add(jen.Id(h.kept[b.Name]).Op(":=").Id("kgenKept").Types(goTypeOf(b.Kind)).Call(h.callPointer()),
			jen.Id(h.names.Declare(grown)).Op(":=").Op("*").Id(h.kept[b.Name]))
		return
	}
	if b.Role == plan.Errors { // a few words, which stay on the stack
		memory = jen.Make(jen.Index().Add(goTypeOf(b.Kind)), length)
	} else {
		h.temporaries = true
		memory = jen.Id("kgenTemporary").Types(goTypeOf(b.Kind)).Call(h.callPointer(), length)
	}
	declared := jen.Id(h.names.Declare(v)).Op(":=").Add(memory)
	if b.Role == plan.Errors {
		declared.Comment("the first row that fails each check")
	}
	h.add(declared)
}

// column declares v as memory for a result.
func (h *host) column(v *loop.Var, port plan.Port, length jen.Code) {
	function := "kgenColumn"
	if grown := h.env.grown[port.Buffer]; grown != nil {
		v, function = grown, "kgenGrowing"
	}
	h.add(jen.Id(h.names.Declare(v)).Op(":=").Id(function).Call(h.callPointer(), jen.Id("dst").Dot(h.fields[port.Name]), length))
	h.pending = true
}

// isTemporary reports whether a buffer of the plan is no result.
func (h *host) isTemporary(buffer string) bool { return h.bufferNamed(buffer).Role == plan.Temporary }

// requireMemory ends the function if the caller's allocator has failed.
func (h *host) requireMemory() {
	if !h.pending {
		return
	}
	h.pending = false
	err := jen.Id("call").Dot("err")
	text := position(h.program.Pipeline.Pos) + h.entry.Func + ": %w"
	h.add(jen.If(err.Clone().Op("!=").Nil()).Block(jen.Return(jen.Qual("fmt", "Errorf").Call(jen.Lit(text), err))))
}

// limit makes computed lengths beyond plan.MaxRows an error, before the function
// runs out of memory.
func (h *host) limit(b plan.Buffer) {
	for _, d := range h.unlimited(b) {
		length := h.expr(h.counter(d.Bound)).code
		name := h.madeOf(d.Name)
		text := fmt.Sprintf("%s%s would have %%d rows; at most %d can be computed", h.origin(name), name, int64(plan.MaxRows))
		h.add(jen.If(length.Clone().Op(">").Lit(plan.MaxRows)).Block(jen.Return(jen.Qual("fmt", "Errorf").Call(jen.Lit(text), length))))
	}
}

// unlimited returns the domains of computed length that b depends on and that no buffer before
// did; they are no longer among those of the next one.
func (h *host) unlimited(b plan.Buffer) (list []plan.Domain) {
	size := h.lengthOf(b)
	for _, d := range h.plan.Domains {
		isSize := size.Op == plan.OpLen && size.Name == d.Name || d.Bound.Op == plan.OpScalar && readsScalar(size, d.Bound.Name)
		if !isSize || d.Bound.Op != plan.OpScalar || h.env.scalars[d.Bound.Name] == nil || h.limited[d.Name] {
			continue
		}
		h.limited[d.Name] = true
		list = append(list, d)
	}
	return list
}

// readsScalar reports whether an expression reads a scalar.
func readsScalar(e plan.Expr, scalar string) bool {
	return e.Op == plan.OpScalar && e.Name == scalar || slices.ContainsFunc(e.Args, func(arg plan.Expr) bool { return readsScalar(arg, scalar) })
}

// madeOf returns the domain that the rows of d are those of in one of two ways, or d.
func (h *host) madeOf(d string) string {
	for _, made := range h.plan.Domains {
		if made.Len.Op == plan.OpMax && slices.ContainsFunc(made.Len.Args, func(arg plan.Expr) bool { return arg.Op == plan.OpLen && arg.Name == d }) {
			return h.madeOf(made.Name)
		}
	}
	return d
}

// origin returns the position of the statement that made a domain, as the
// beginning of a message, or "".
func (h *host) origin(domain string) string {
	for _, d := range h.program.Pipeline.Domains {
		if d.Name == domain && d.By != nil {
			return position(d.By.Pos)
		}
	}
	return ""
}

// fill stores the initial value in every element of a buffer.
func (h *host) fill(b plan.Buffer) {
	v := h.env.buffers[b.Name]
	bits, err := b.Kind.Parse(b.Fill)
	if err != nil {
		panic("gocpu: " + err.Error())
	}
	if b.Role == plan.Errors {
		bits = math.MaxInt64
	}
	if bits == 0 {
		h.add(jen.Clear(h.use(v)))
		return
	}
	if b.Role != plan.Errors && b.Kind != plan.Char8 {
		h.add(jen.Id("kgenFill").Call(h.use(v), h.expr(loop.ConstOf(scalarOf(b.Kind, bits))).code))
		return
	}
	lb := loop.NewBuilder("fill") // of a few words, or of texts, whose words are stored as bytes
	lb.For("i", loop.Int(0), loop.LenOf(v), func(i *loop.Var) {
		lb.Store(v, i, loop.ConstOf(scalarOf(b.Kind, bits)))
	})
	h.add(h.block(lb.Func().Body)...)
}
