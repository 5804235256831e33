package gocpu

import (
	"bytes"
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

// archsimd is the package of vectors, an experiment of Go 1.26.
const archsimd = "simd/archsimd"

// vectorKinds are the kinds of which vectors have lanes, as archsimd calls them.
var vectorKinds = map[ir.Kind]string{ir.I32: "Int32", ir.I64: "Int64", ir.U32: "Uint32", ir.U64: "Uint64", ir.F32: "Float32", ir.F64: "Float64"}

// hasVectors reports whether there are vectors of kind k.
func hasVectors(k ir.Kind) bool { return vectorKinds[k] != "" }

// vectorOperator is the method of archsimd that is an operator, for some kinds.
type vectorOperator struct {
	method           string
	integers, floats bool
}

// vectorOperators has the operators with a form on vectors of numbers. The minimum
// and maximum of floats are not those of the language, which keep NaN; division of
// integers and shifts have no instruction with the language's meaning.
var vectorOperators = map[ir.Op]vectorOperator{
	ir.OpAdd: {"Add", true, true}, ir.OpSub: {"Sub", true, true}, ir.OpMul: {"Mul", true, true}, ir.OpDiv: {"Div", false, true},
	ir.OpAnd: {"And", true, false}, ir.OpOr: {"Or", true, false}, ir.OpXor: {"Xor", true, false},
	ir.OpLeast: {"Min", true, false}, ir.OpGreatest: {"Max", true, false},
	ir.OpComplement: {"Not", true, false}, ir.OpAbs: {"Abs", true, false}, ir.OpSqrt: {"Sqrt", false, true},
	ir.OpEq: {"Equal", true, true}, ir.OpNe: {"NotEqual", true, true},
	ir.OpLt: {"Less", true, true}, ir.OpLe: {"LessEqual", true, true}, ir.OpGt: {"Greater", true, true}, ir.OpGe: {"GreaterEqual", true, true},
}

// maskOperators are operators of masks, which are bits of an integer, a lane each:
// so one mask fits lanes of any width.
var maskOperators = map[ir.Op]string{ir.OpLogicalAnd: "&", ir.OpLogicalOr: "|", ir.OpNot: "^"}

// isOnVectors reports whether an operator has a form on lanes of kind k.
func isOnVectors(op ir.Op, k ir.Kind) bool {
	if k == ir.Bool {
		return maskOperators[op] != ""
	}
	o := vectorOperators[op]
	return hasVectors(k) && (k.IsInteger() && o.integers || k.IsFloat() && o.floats)
}

// conversion returns the methods that cast lanes, if there are any: from integers of
// any width, and between floats. To integers, floats saturate in the language.
func conversion(from, to ir.Kind, lanes int) (methods []string, ok bool) {
	if !hasVectors(from) || !hasVectors(to) || from.IsFloat() && to.IsInteger() {
		return nil, false
	}
	if from == to {
		return nil, true
	}
	if to.IsFloat() {
		return []string{"ConvertTo" + vectorKinds[to]}, true
	}
	if from.Size() != to.Size() {
		same := map[bool]map[int]ir.Kind{true: {4: ir.U32, 8: ir.U64}, false: {4: ir.I32, 8: ir.I64}}[from.IsUnsigned()][to.Size()]
		verb := "ExtendTo"
		if to.Size() < from.Size() {
			verb = "TruncateTo"
		}
		methods, from = append(methods, verb+vectorKinds[same]), same
	}
	if from != to {
		methods = append(methods, fmt.Sprintf("As%sx%d", vectorKinds[to], lanes))
	}
	return methods, true
}

// vectorName is what archsimd calls a type of lanes.
func vectorName(t loop.Type) string { return fmt.Sprintf("%sx%d", vectorKinds[t.Kind], t.Len) }

// vectorType prints a type of lanes; a mask is as many bits.
func vectorType(t loop.Type) *jen.Statement {
	if t.Kind == ir.Bool {
		return jen.Id(fmt.Sprintf("uint%d", t.Len))
	}
	return jen.Qual(archsimd, vectorName(t))
}

// vector prints an expression of lanes.
func (p *printer) vector(x loop.Expr) text {
	t := x.Type()
	method := func(of loop.Expr, name string, args ...jen.Code) text {
		return text{p.typed(of).within(operand).Dot(name).Call(args...), operand}
	}
	switch x := x.(type) {
	case *loop.Var:
		return text{p.use(x), operand}
	case *loop.LoadLanes:
		return text{jen.Qual(archsimd, "Load"+vectorName(t)).Call(p.lanesOf(x.Memory, x.Index, t.Len)), operand}
	case *loop.Splat:
		return text{jen.Qual(archsimd, "Broadcast"+vectorName(t)).Call(p.expr(x.X).code), operand}
	case *loop.Unary:
		if t.Kind == ir.Bool {
			return text{jen.Op("^").Add(p.typed(x.X).within(unaryPrecedence)), unaryPrecedence}
		}
		return method(x.X, vectorOperators[x.Op].method)
	case *loop.Binary:
		if t.Kind == ir.Bool {
			precedence := map[ir.Op]int{ir.OpLogicalAnd: 5, ir.OpLogicalOr: 4}[x.Op]
			return text{p.typed(x.X).within(precedence).Op(maskOperators[x.Op]).Add(p.typed(x.Y).within(precedence + 1)), precedence}
		}
		return method(x.X, vectorOperators[x.Op].method, p.typed(x.Y).code)
	case *loop.Compare:
		return text{method(x.X, vectorOperators[x.Op].method, p.typed(x.Y).code).code.Dot("ToBits").Call(), operand}
	case *loop.Select:
		return method(x.Then, "Merge", p.typed(x.Else).code, p.mask(x.Cond, t))
	case *loop.Compress:
		return method(x.X, "Compress", p.mask(x.Mask, t))
	case *loop.Cast:
		made := p.typed(x.X)
		methods, _ := conversion(x.X.Type().Kind, t.Kind, t.Len)
		for _, name := range methods {
			made = text{made.within(operand).Dot(name).Call(), operand}
		}
		return made
	}
	panic(fmt.Sprintf("gocpu: no Go for %T in lanes", x))
}

// mask prints the bits of a mask as one for lanes of type t.
func (p *printer) mask(x loop.Expr, t loop.Type) jen.Code {
	return jen.Qual(archsimd, fmt.Sprintf("Mask%dx%dFromBits", t.Kind.Size()*8, t.Len)).Call(p.typed(x).code)
}

// lanesOf prints a pointer to the elements of memory from an index on.
func (p *printer) lanesOf(m *loop.Var, index loop.Expr, lanes int) jen.Code {
	c, ok := index.(*loop.Const)
	isStart := ok && isZero(c)
	if isStart && m.T.Len == lanes {
		if m.T.Form == loop.Array {
			return jen.Op("&").Add(p.use(m))
		}
		return p.use(m)
	}
	part := jen.Op(":")
	if !isStart {
		part = p.index(index).code.Op(":")
	}
	return jen.Parens(goType(loop.Type{Kind: m.T.Kind, Form: loop.Window, Len: lanes})).Call(p.use(m).Index(part))
}

func (p *printer) storeLanes(s *loop.StoreLanes) *jen.Statement {
	return p.typed(s.X).within(operand).Dot("Store").Call(p.lanesOf(s.Memory, s.Index, s.X.Type().Len))
}

// countLanes prints the number of bits of a mask.
func (p *printer) countLanes(x *loop.CountLanes) text {
	return text{jen.Qual("math/bits", fmt.Sprintf("OnesCount%d", x.Mask.Type().Len)).Call(p.typed(x.Mask).code), operand}
}

// clearVectors prints what ends a function of vectors: other code may be slower as
// long as the upper halves of registers are in use.
func clearVectors() jen.Code { return jen.Qual(archsimd, "ClearAVXUpperBits").Call() }

// simdSuffix ends the name of the file with functions of vectors.
const simdSuffix = "_simd.go"

// vectorFunction prints a function of vectors, and the variable through which it is
// called: without vectors it has a function that leaves all rows.
func (h *host) vectorFunction(f *loop.Func) {
	variable := h.funcName(f)
	name := h.names.FreshGlobal(f.Name + "512")
	doc := f.Doc
	f.Doc = name + " " + doc
	leave := h.names.Enter()
	without := jen.Func().Add(h.header(f)).Block(jen.Return(h.list(f.Otherwise)...))
	leave()
	h.kernels = append(h.kernels, comment(variable+" "+doc).Comment("Without vectors it leaves all rows.").Line().
		Var().Id(variable).Op("=").Add(without))
	h.vectors = append(h.vectors, h.functionAs(name, f))
	h.register = append(h.register, jen.Id(variable).Op("=").Id(name))
}

// simdFile returns the file with the functions of vectors of a pipeline.
func simdFile(h *host, pkg string) (backends.File, error) {
	file := newFile(pkg, h.program.Pipeline)
	file.HeaderComment("//go:build goexperiment.simd && amd64")
	file.ImportName(archsimd, "archsimd")
	file.Add(jen.Func().Id("init").Params().Block(jen.If(jen.Qual(archsimd, "X86").Dot("AVX512").Call()).Block(h.register...))).Line()
	for _, code := range h.vectors {
		file.Add(code).Line()
	}
	var text bytes.Buffer
	if err := file.Render(&text); err != nil {
		return backends.File{}, fmt.Errorf("pipeline %s: the emitted Go is malformed (a bug of kgen): %w", h.program.Pipeline.Name, err)
	}
	formatted, err := stable(text.Bytes())
	return backends.File{Name: h.entry.Base + simdSuffix, Text: formatted}, err
}
