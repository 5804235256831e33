package ir

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// shortLimit is about how many bytes of an expression a message shows.
const shortLimit = 40

// shortText is the source text of v for messages: its name, or its expression
// cut short.
func shortText(v *Value) string {
	w := valueWriter{name: func(v *Value) string { return v.Name }, limit: shortLimit}
	w.value(v, lowest)
	return clip(w.String())
}

// A valueWriter writes values as source text.
type valueWriter struct {
	strings.Builder
	name  func(*Value) string // the name that stands for a value, or ""
	limit int                 // 0, or the bytes after which no more is written
	depth int
}

// The binding strength of what is not an infix operator, whose strengths are
// those of precedence, 1 to 5.
const (
	lowest  = 0
	unary   = 6
	primary = 7
)

// value writes v, in parentheses if it binds weaker than strength.
func (w *valueWriter) value(v *Value, strength int) {
	if v.Hidden {
		fmt.Fprintf(w, "text(%q)", *v.Literal)
		return
	}
	if name := w.name(v); name != "" {
		w.WriteString(name)
		return
	}
	if w.limit > 0 && (w.Len() > w.limit || w.depth > w.limit) {
		w.WriteString("...")
		return
	}
	w.depth++
	defer func() { w.depth-- }()
	s := spellings[v.Op]
	switch s.form {
	case formInfix:
		own := v.Op.row().strength
		if own < strength {
			w.WriteByte('(')
			defer w.WriteByte(')')
		}
		w.operand(v, 0, own)
		w.WriteString(" " + s.text + " ")
		w.operand(v, 1, own+1)
	case formPrefix:
		if unary < strength {
			w.WriteByte('(')
			defer w.WriteByte(')')
		}
		w.WriteString(s.text)
		w.operand(v, 0, unary)
	case formCast:
		before, after := castParts(v.Type.Kind)
		w.WriteString(before)
		w.operand(v, 0, lowest)
		w.WriteString(after)
	case formIndex:
		w.operand(v, 0, primary)
		w.WriteByte('[')
		w.operand(v, 1, lowest)
		w.WriteByte(']')
	case formField:
		w.operand(v, 0, primary)
		w.WriteString("." + s.text)
	case formCall:
		w.call(v)
	default:
		w.constant(v.Const, false, strength)
	}
}

// call writes a function with its operands.
func (w *valueWriter) call(v *Value) {
	separator := v.Op.String() + "("
	next := func(label string) {
		w.WriteString(separator + label)
		separator = ", "
	}
	if v.Reduce != ReduceNone {
		next(v.Reduce.String())
	}
	positional := len(v.Args)
	switch v.Op {
	case OpFind, OpJoin:
		next("")
		w.tuple(v, 0, v.Split)
		if v.Op == OpFind {
			next("in: ")
		} else {
			next("")
		}
		w.tuple(v, v.Split, len(v.Args))
		positional = 0
	case OpAlign:
		next("")
		w.operand(v, 0, lowest)
		next("to: ")
		w.operand(v, 1, lowest)
		positional = 0
	}
	for i := range v.Args[:positional] {
		if i < len(v.Desc) && v.Desc[i] {
			next("desc(")
			w.operand(v, i, lowest)
			w.WriteByte(')')
			continue
		}
		next("")
		w.operand(v, i, lowest)
		if i == 0 && (v.Op == OpPrev || v.Op == OpNext) {
			next(strconv.FormatInt(v.Shift, 10))
		}
	}
	for _, named := range [...]struct {
		label string
		value *Value
	}{{"by: ", v.By}, {"else: ", v.Else}, {"limit: ", v.Limit}} {
		if named.value == nil {
			continue
		}
		next(named.label)
		if named.value == v.Else && v.Else.Hidden {
			w.WriteString(strconv.Quote(*v.Else.Literal))
		} else if named.value == v.Else && v.Else.Op == OpConst {
			w.constant(v.Else.Const, true, lowest)
		} else if named.value.Op == OpConst {
			w.constant(named.value.Const, false, lowest)
		} else {
			w.value(named.value, lowest)
		}
	}
	w.WriteByte(')')
}

func (w *valueWriter) tuple(v *Value, from, to int) {
	if to-from > 1 {
		w.WriteByte('(')
		defer w.WriteByte(')')
	}
	for i := from; i < to; i++ {
		if i > from {
			w.WriteString(", ")
		}
		w.operand(v, i, lowest)
	}
}

// operand writes operand i of v.
func (w *valueWriter) operand(v *Value, i, strength int) {
	o := v.Args[i]
	if o.Hidden && typing(v, i) == typedByContext {
		w.WriteString(strconv.Quote(*o.Literal))
		return
	}
	if o.Op != OpConst {
		w.value(o, strength)
		return
	}
	switch typing(v, i) {
	case typedByContext:
		w.constant(o.Const, true, strength)
	case typedByDefault:
		w.constant(o.Const, false, strength)
	default:
		w.typedConstant(o.Const, strength)
	}
}

// The ways in which a constant operand gets its type when it is read again.
type constantTyping uint8

const (
	typedByContext constantTyping = iota // from the other operands
	typedByDefault                       // i64, f64 or char8
	typedByCast                          // written out, so that it is not folded
)

func typing(v *Value, i int) constantTyping {
	isConst := func(i int) bool { return v.Args[i].isLiteral() }
	switch v.Op {
	case OpShl, OpShr:
		switch {
		case isConst(0) && isConst(1):
			return typedByCast
		case i == 0:
			return typedByDefault
		}
		return shiftTyping(v)
	case OpSelect:
		if i > 0 && isConst(1) && isConst(2) {
			return typedByDefault
		}
		return typedByContext
	case OpNeg, OpComplement, OpNot, OpCast:
		return typedByCast
	case OpPrev, OpNext:
		return typedByContext
	}
	if v.Op.IsElementwise() && len(v.Args) == 2 {
		if isConst(0) && isConst(1) || v.Op == OpMul && v.Type.Kind.IsDecimal() && !isLeastFactor(v, i) {
			return typedByCast
		}
		return typedByContext
	}
	return typedByDefault
}

// shiftTyping is the typing of a constant shift count: it takes the type of the
// shifted operand where it fits, else i64.
func shiftTyping(v *Value) constantTyping {
	x, count := v.Args[0].Type.Kind, v.Args[1].Const
	fits := count.Kind.IsInteger() && wrap(x, count.Bits) == count.Bits && (x.IsUnsigned() == count.Kind.IsUnsigned() || count.Int64() >= 0)
	switch {
	case count.Kind == x:
		return typedByContext
	case !fits && count.Kind == I64:
		return typedByDefault
	}
	return typedByCast
}

// constant writes a constant that gets its type from context, or else the
// default type.
func (w *valueWriter) constant(s Scalar, context bool, strength int) {
	switch k := s.Kind; {
	case k == Bool:
		w.WriteString(strconv.FormatBool(s.IsTrue()))
	case k.IsCalendar():
		if text, ok := calendarText(s); ok {
			fmt.Fprintf(w, "%v(%q)", k, text)
		} else {
			fmt.Fprintf(w, "%v(%d)", k, s.Int64())
		}
	case k == Char8:
		b := s.Bytes()
		w.WriteString(strconv.Quote(string(bytes.TrimRight(b[:], "\x00"))))
	case context || k == I64 || k == F64:
		text := numberText(s)
		if !context && k == F64 && !strings.ContainsAny(text, ".e") {
			text += ".0"
		}
		if text[0] == '-' && strength > unary {
			text = "(" + text + ")"
		}
		w.WriteString(text)
	default:
		w.typedConstant(s, strength)
	}
}

// typedConstant writes a constant with its type.
func (w *valueWriter) typedConstant(s Scalar, strength int) {
	switch {
	case s.Kind == Bool || s.Kind.IsCalendar():
		w.constant(s, true, strength)
	default:
		before, after := castParts(s.Kind)
		w.WriteString(before)
		w.constant(s, true, lowest)
		w.WriteString(after)
	}
}

// castParts is what stands before and after x in the cast of x to k.
func castParts(k Kind) (before, after string) {
	if k.IsDecimal() {
		return decimalName + "(", fmt.Sprintf(", %d)", k.Scale())
	}
	return k.String() + "(", ")"
}

// castText writes the cast of x to k.
func castText(k Kind, x string) string {
	before, after := castParts(k)
	return before + x + after
}

func numberText(s Scalar) string {
	switch {
	case s.Kind == F32:
		return strconv.FormatFloat(s.Float64(), 'g', -1, 32)
	case s.Kind == F64:
		return strconv.FormatFloat(s.Float64(), 'g', -1, 64)
	case s.Kind.IsUnsigned():
		return strconv.FormatUint(s.Bits, 10)
	}
	return string(AppendDecimal(nil, s.Int64(), s.Kind.Scale()))
}

// Origin names d and says how it was made, as in [g] (the groups of [n] by runs(k)).
func (d *Domain) Origin() string {
	name := clip(d.Name)
	if d.Kind == DomainParam {
		return fmt.Sprintf("[%s] (a domain of parameters)", name)
	}
	maker := expressionText(d.By)
	switch d.Kind {
	case DomainMask:
		return fmt.Sprintf("[%s] (the rows of [%s] where %s)", name, clip(d.Parent.Name), maker)
	case DomainRuns, DomainStarts, DomainGroups:
		return fmt.Sprintf("[%s] (the groups of [%s] by %s)", name, clip(d.Parent.Name), maker)
	case DomainBins:
		return fmt.Sprintf("[%s] (the bins of %s)", name, maker)
	case DomainJoin:
		return fmt.Sprintf("[%s] (the pairs of %s)", name, maker)
	}
	return fmt.Sprintf("[%s] (the rows of [%s] by %s)", name, clip(d.Parent.Name), maker)
}

// Expression returns what v computes as source text of one line, even where v
// has a name; what would be very long is cut.
func (v *Value) Expression() string { return textOf(v, 4*shortLimit) }

// expressionText is the short text of what v computes, even where it has a name.
func expressionText(v *Value) string { return clip(textOf(v, shortLimit)) }

func textOf(v *Value, limit int) string {
	w := valueWriter{limit: limit}
	w.name = func(o *Value) string {
		if o == v && v.Op != OpParam {
			return ""
		}
		return o.Name
	}
	w.value(v, lowest)
	return w.String()
}
