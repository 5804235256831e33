package ir

import (
	"fmt"
	"go/constant"
	"go/token"
	"math"
	"runtime"
	"strconv"
	"strings"
)

// A Builder makes a pipeline from Go. It has the power of the language and
// builds the same graph as source text does:
//
//	b := ir.NewBuilder("orders")
//	key := b.Column("l_orderkey", "n", ir.I64)
//	quantity := b.Column("l_quantity", "n", ir.I64)
//	g := b.Let("g", b.Runs(key))
//	b.Return(b.First(key, ir.By(g)).As("key"), b.Sum(quantity, ir.By(g)).As("total"))
//	pipeline, err := b.Pipeline()
//
// Infix operators are methods of [Operand]: price.Mul(b.Constant(1).Sub(discount)). Package build takes Go types
// for element types, and makes a program of it that emits code.
//
// Methods take operands as any: an [Operand] that the same builder made, or a
// Go constant. Constants of the types int, float64 and string take their type
// from the context, as in source text; those of other types (int32, bool, ...,
// [Scalar]) have it. Methods never fail: errors gather, with the caller's file and line,
// until [Builder.Pipeline] returns them.
type Builder struct {
	g            *graph
	name, doc    string
	pos          Pos
	errs         ErrorList
	names        map[string]bool
	results      resultList
	unordered    bool // ReturnUnordered
	reproducible bool // Reproducible
	returned     bool
	closed       bool // NewBuilder has not made it
	built        *Pipeline
	at           Pos // what Place has set
}

// An Operand is a value or constant of a pipeline under construction.
type Operand struct {
	b     *Builder
	o     operand
	label string // as a result: its name, or that of the column it indexes
}

// Value returns the value that x is in the pipeline, or nil where it is a
// constant without a type, or an error.
func (x Operand) Value() *Value { return x.o.value }

// NewBuilder starts a pipeline.
func NewBuilder(name string) *Builder {
	b := &Builder{name: name}
	b.start()
	b.checkName(b.pos, "pipeline", name)
	return b
}

func (b *Builder) start() {
	b.pos, b.names = callerPos(), map[string]bool{}
	b.g = newGraph(func(pos Pos, msg, hint string) { b.errs = append(b.errs, NewError(nil, pos, msg, hint)) })
	b.results.g = b.g
}

// unmade is what to do about a builder that NewBuilder has not made.
const unmade = "begin with b := ir.NewBuilder(name)"

// isOpen reports whether b can take more. What is done to the zero builder, or
// to one whose pipeline is finished, is an error for Pipeline to return; a nil
// one gives zero operands, and its Pipeline is an error.
func (b *Builder) isOpen() bool {
	if b == nil {
		return false
	}
	if b.g == nil {
		b.start()
		b.closed = true
		b.g.fail(b.pos, unmade, "the zero ir.Builder makes no pipeline")
	}
	if b.built != nil && len(b.errs) == 0 {
		b.g.fail(b.here(), "call Pipeline last, or continue from its values in another builder, with Copy", "pipeline %s is finished: Pipeline has returned it", clip(b.name))
	}
	return b.built == nil && !b.closed
}

// Doc sets the comment above the pipeline.
func (b *Builder) Doc(text string) {
	if b.isOpen() {
		b.doc = strings.TrimSpace(text)
	}
}

// Column adds a parameter that is a column over a domain: name: [domain]kind.
func (b *Builder) Column(name, domain string, kind Kind) Operand {
	if !b.isOpen() {
		return Operand{}
	}
	return b.columnParameter(domain, Value{Name: name, Type: Type{Kind: kind}, Pos: b.here()})
}

func (b *Builder) columnParameter(domain string, v Value) Operand {
	b.checkName(v.Pos, "domain", domain)
	return b.parameter(domain, v)
}

// Scalar adds a scalar parameter: name: kind.
func (b *Builder) Scalar(name string, kind Kind) Operand {
	if !b.isOpen() {
		return Operand{}
	}
	return b.parameter("", Value{Name: name, Type: Type{Kind: kind}, Pos: b.here()})
}

// ScalarWithDefault adds a scalar parameter that callers may leave out:
// name: kind = value.
func (b *Builder) ScalarWithDefault(name string, kind Kind, value any) Operand {
	if !b.isOpen() {
		return Operand{}
	}
	pos := b.here()
	byDefault, literal := b.constantOf(pos, "the default of "+name, kind, value)
	return b.parameter("", Value{Name: name, Type: Type{Kind: kind}, Const: byDefault, Literal: literal, Pos: pos})
}

// ColumnMissing adds a column parameter whose source may lack the values of some rows,
// which then have the constant value: name: [domain]kind missing value.
func (b *Builder) ColumnMissing(name, domain string, kind Kind, value any) Operand {
	if !b.isOpen() {
		return Operand{}
	}
	pos := b.here()
	missing, literal := b.constantOf(pos, "the value of "+name+" where it is missing", kind, value)
	return b.columnParameter(domain, Value{Name: name, Type: Type{Kind: kind}, Missing: missing, Literal: literal, Pos: pos})
}

// ColumnLike adds a column parameter of bools that tell which rows of a column of texts are
// like a pattern of SQL: name: [domain]bool like "pattern". Rows without a value have the
// bool that is given, if one is.
func (b *Builder) ColumnLike(name, domain, pattern string, missing ...bool) Operand {
	if !b.isOpen() {
		return Operand{}
	}
	of := Pattern(pattern)
	v := Value{Name: name, Type: Type{Kind: Bool}, Like: &of, Pos: b.here()}
	for _, missing := range missing {
		v.Missing = BoolScalar(missing)
	}
	return b.columnParameter(domain, v)
}

// Present adds a column parameter of bools that tell which rows of another one have a
// value: name: [domain]bool present of. That one is of [Builder.ColumnMissing].
func (b *Builder) Present(name string, of Operand) Operand {
	if !b.isOpen() {
		return Operand{}
	}
	pos := b.here()
	x := b.operand(pos, of)
	if x.bad() {
		return b.wrap(x)
	}
	v := Value{Name: name, Type: Type{Kind: Bool}, Present: x.value, Pos: pos}
	domain := x.typ().Domain.String()
	if !b.g.tellsOf(pos, v, domain) {
		return Operand{}
	}
	return b.columnParameter(domain, v)
}

// constantOf returns a constant of a kind; a text has a literal.
func (b *Builder) constantOf(pos Pos, what string, kind Kind, value any) (Scalar, *string) {
	o := b.g.as(b.operand(pos, value), kind)
	switch {
	case o.bad():
	case !o.value.isLiteral() || o.kind() != kind:
		b.g.fail(pos, fmt.Sprintf("pass a constant of type %v", kind), "%s is %v, which is %v", what, o, o.typ())
	case o.value.Hidden:
		return Scalar{Kind: Text}, o.value.Literal
	default:
		return o.value.Const, nil
	}
	return Scalar{}, nil
}

func (b *Builder) parameter(domain string, v Value) Operand {
	b.define(v.Pos, v.Name)
	if kind := v.Type.Kind; !kind.isElement() {
		return b.wrap(b.g.fail(v.Pos, kindsAre, "parameter %s of type %v", clip(v.Name), kind))
	}
	return Operand{b, operand{pos: v.Pos, value: b.g.parameter(v, domain)}, v.Name}
}

// Constant returns a Go constant as an operand, as in b.Constant(1).Sub(discount).
func (b *Builder) Constant(x any) Operand {
	if !b.isOpen() {
		return Operand{}
	}
	return b.wrap(b.operand(b.here(), x))
}

// kindsAre is what to write in place of another kind.
const kindsAre = "the types are ir.Bool to ir.Char8, and those of ir.DecimalOf"

// Let gives x a name, as the statement name = x does.
func (b *Builder) Let(name string, x any) Operand {
	if !b.isOpen() {
		return Operand{}
	}
	pos := b.here()
	o := b.g.typed(b.operand(pos, x))
	b.define(pos, name)
	if !o.bad() && (o.kind() == Pair || b.g.plain(pos, o)) {
		b.g.name(o.value, name)
	}
	return Operand{b, o, name}
}

// define notes a name of a parameter or statement.
func (b *Builder) define(pos Pos, name string) {
	b.checkName(pos, "name", name)
	if b.names[name] {
		b.g.fail(pos, "a name stands for one value: choose another", "%s is already defined", clip(name))
	}
	b.names[name] = true
}

func (b *Builder) checkName(pos Pos, what, name string) {
	letter := func(c rune) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' }
	valid := name != "" && name != "_" && len(name) <= maxName && letter(rune(name[0])) && !reservedWords[name]
	for _, c := range name {
		valid = valid && (letter(c) || '0' <= c && c <= '9')
	}
	if !valid {
		b.g.fail(pos, "names have ASCII letters, digits and _, and are not pipeline, return, true or false", "%q is no %s", clip(name), what)
	}
}

// As labels a result of [Builder.Return].
func As(label string, x any) LabelledResult { return LabelledResult{label, x} }

// A LabelledResult is a result with its label.
type LabelledResult struct {
	label string
	x     any
}

// Return sets the results: operands that have a name, or are indexed by
// [Builder.At] and have one, and results labelled by [As].
func (b *Builder) Return(results ...any) {
	if b.isOpen() {
		b.setResults(b.here(), results)
	}
}

// ReturnUnordered is [Builder.Return] for a statement return unordered: the rows of
// each domain may come in any order, which is the same for all its columns.
func (b *Builder) ReturnUnordered(results ...any) {
	if b.isOpen() {
		b.unordered = true
		b.setResults(b.here(), results)
		b.results.unordered()
	}
}

// Reproducible makes the statement return reproducible, or return unordered reproducible: float
// sums have the same bits on every device.
func (b *Builder) Reproducible() {
	if b.isOpen() {
		b.reproducible = true
	}
}

func (b *Builder) setResults(pos Pos, results []any) {
	if b.returned {
		b.g.fail(pos, "one Return has all results", "Return is called twice")
		return
	}
	b.returned = true
	if len(results) == 0 {
		b.g.fail(pos, "a pipeline has results", "Return without results")
	}
	for _, r := range results {
		labelled, ok := r.(LabelledResult)
		if ok {
			b.checkName(pos, "label", labelled.label)
			r = labelled.x
		}
		if x, isOperand := r.(Operand); isOperand && !ok {
			labelled.label = x.label
		}
		o := b.operand(pos, r)
		if labelled.label == "" {
			if !ok && !o.bad() {
				b.g.fail(pos, `write x.As("label"); only what has a name, or At of it, labels itself`, "result without a label: %v", o)
			}
			b.results.bad = true
			continue
		}
		b.results.add(labelled.label, pos, o)
	}
}

// Pipeline returns the finished pipeline, or as an [ErrorList] all that was
// wrong.
func (b *Builder) Pipeline() (*Pipeline, error) {
	if b == nil {
		return nil, ErrorList{NewError(nil, callerPos(), "the ir.Builder is nil", unmade)}
	}
	if b.built != nil && len(b.errs) == 0 {
		return b.built, nil
	}
	if b.built == nil && b.isOpen() && !b.returned {
		b.g.fail(b.pos, "call Return", "pipeline %s returns nothing", clip(b.name))
	}
	if len(b.errs) == 0 && !b.results.bad {
		if b.built = b.finish(); b.built != nil {
			return b.built, nil
		}
	}
	return nil, b.errs.limited()
}

// finish returns the pipeline unless a value is never used.
func (b *Builder) finish() *Pipeline {
	needed := b.g.needed(b.results.results)
	for i, v := range b.g.values {
		if !needed[i] && !v.isLiteral() {
			b.g.fail(v.Pos, "return it, or leave it out", "%v is never used", operand{value: v})
		}
	}
	if len(b.errs) > 0 {
		return nil
	}
	return b.g.finish(b.name, b.doc, b.pos, b.results.results, b.unordered, b.reproducible)
}

func (b *Builder) wrap(o operand) Operand { return Operand{b: b, o: o} }

// operand accepts what a caller passed as an operand.
func (b *Builder) operand(pos Pos, x any) operand {
	switch x := x.(type) {
	case Operand:
		if x.b == nil {
			return b.g.fail(pos, "use what methods of this builder return", "the zero ir.Operand is no value")
		}
		if x.b != b && x.o.bad() {
			return b.g.fail(pos, "operands belong to the builder that made them", "an operand of another builder, which has an error")
		}
		if x.b != b {
			return b.g.fail(pos, "operands belong to the builder that made them", "operand %v of another builder", x.o)
		}
		o := x.o
		o.pos = pos
		return o
	case int:
		return operand{pos: pos, constant: constant.MakeInt64(int64(x))}
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return b.g.fail(pos, "compute it from columns, or pass it as a parameter", "%v is no constant of the language", x)
		}
		// As source text would write it, so that 0.05 is a decimal.
		c := constant.ToFloat(constant.MakeFromLiteral(strconv.FormatFloat(math.Abs(x), 'g', -1, 64), token.FLOAT, 0))
		if x < 0 {
			c = constant.UnaryOp(token.SUB, c, 0)
		}
		return operand{pos: pos, constant: c}
	case string:
		return operand{pos: pos, constant: constant.MakeString(x)}
	case bool:
		return b.g.scalar(pos, BoolScalar(x))
	case Scalar:
		if !x.isValid() {
			return b.g.fail(pos, "make it by ir.Int, ir.Float, ir.BoolScalar or ir.Char8Scalar; a text is a string, or of Text", "ir.Scalar{%v, %#x} is no constant", x.Kind, x.Bits)
		}
		return b.g.scalar(pos, x)
	case float32:
		return b.g.as(b.operand(pos, float64(x)), F32)
	case int8:
		return b.g.scalar(pos, Int(I8, int64(x)))
	case int16:
		return b.g.scalar(pos, Int(I16, int64(x)))
	case int32:
		return b.g.scalar(pos, Int(I32, int64(x)))
	case int64:
		return b.g.scalar(pos, Int(I64, x))
	case uint8:
		return b.g.scalar(pos, Int(U8, int64(x)))
	case uint16:
		return b.g.scalar(pos, Int(U16, int64(x)))
	case uint32:
		return b.g.scalar(pos, Int(U32, int64(x)))
	case uint64:
		return b.g.scalar(pos, Scalar{U64, x})
	}
	hint := "pass an ir.Operand of this builder or a Go constant: int, int8 to int64, uint8 to uint64, float32, float64, bool, string or ir.Scalar"
	switch x.(type) {
	case nil:
		return b.g.fail(pos, hint, "nil is no operand")
	case *Operand:
		hint = "pass the operand itself, not its address"
	case LabelledResult:
		hint = "As labels results, for Return alone"
	case Named:
		hint = "By, Else and Limit are last operands of the functions that take them"
	case Descending:
		hint = "Desc marks a key of Order"
	case CompoundKey:
		hint = "only Find and Join take a key of several columns"
	case ReduceOp:
		hint = "only Scan and Exscan take an operation, and first"
	}
	return b.g.fail(pos, hint, "%T is no operand", x)
}

// Place sets the position of the values that b makes from now on. Without it, and
// after Place(Pos{}), that is the line of the caller.
func (b *Builder) Place(pos Pos) {
	if b != nil {
		b.at = pos
	}
}

// here is the place that a call of a method stands for.
func (b *Builder) here() Pos {
	if b.at.IsValid() {
		return b.at
	}
	return callerPos()
}

// callerPos is the place in the user's program that called a builder: the
// first one outside of this package and of build, which wraps it.
func callerPos() Pos {
	const module = "github.com/kgen-go/kgen/"
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		frame, more := frames.Next()
		name, ours := strings.CutPrefix(frame.Function, module)
		if !more || !ours || !strings.HasPrefix(name, "ir.") && !strings.HasPrefix(name, "build.") {
			return Pos{File: frame.File, Line: frame.Line}
		}
	}
}
