package ir

import (
	"fmt"
	"go/token"
)

// rowOp is a row of the table.
type rowOp struct {
	text     string      // in source text, and in dumps of every level
	token    token.Token // by which go/constant knows it; 0 for what it does not compute
	form     form
	arity    int         // of a form that does not say it
	strength int         // of an infix operator: how strongly it binds, 1 to 5, as in Go
	takes    kinds       // of an operand, as the rule says
	rule     operandRule // how the kinds of the operands go together
	gives    Kind        // of the result; Invalid is that of the operands
	cost     Cost
	steps    bool // a rounding error of a float operand may become one of 1 or more
	// bounds bounds an integer result of kind k; nil is all of k.
	bounds   func(op Op, k Kind, x, y valueRange) valueRange
	composed bool         // of other operators, by fuse: no device computes it itself
	help     OperatorHelp // of a function; Names are further ones, what is empty follows from the row
}

// operandRule says how the kinds of the operands of an operator go together.
type operandRule uint8

const (
	sameKind        operandRule = iota // all are of one kind
	sameKindOrCount                    // or a calendar type and the integer that counts its unit, or two of one calendar type
	product                            // or two decimals, or a decimal and an i64
	anyCount                           // the second counts bits, in an integer of any kind
	choice                             // a bool, then two of one kind
	namedKind                          // one, and the result is of the kind that the operator names
	bitsOf                             // one, and the result is the unsigned integer of its size
	unitOf                             // a calendar type, then a constant string
)

// kinds is a set of element types.
type kinds uint64

func kindsOf(list ...Kind) (s kinds) {
	for _, k := range list {
		s |= 1 << k
	}
	return s
}

func (s kinds) has(k Kind) bool { return s>>k&1 != 0 }

var (
	bools    = kindsOf(Bool)
	integers = kindsOf(I8, I16, I32, I64, U8, U16, U32, U64)
	floats   = kindsOf(F32, F64)
	numbers  = integers | floats
	calendar = kindsOf(Date, Timestamp)
	decimals = (kindsOf(endOfKinds) - 1) &^ (kindsOf(decimal0) - 1)
	ordered  = numbers | calendar | decimals | kindsOf(Text, Char8)
	elements = ordered | bools
)

// noun names the operands of a function.
func (s kinds) noun() string {
	switch s {
	case numbers, numbers | decimals:
		return "numbers"
	case decimals:
		return "a decimal"
	case integers:
		return "integers"
	case floats:
		return "floats"
	case calendar:
		return "a date or a timestamp"
	case kindsOf(Timestamp):
		return "a timestamp"
	}
	panic(fmt.Sprintf("ir: no word for the kinds %b", s))
}

// literal is the kind of an untyped constant; Invalid is its default.
func (s kinds) literal() Kind {
	switch s {
	case integers:
		return I64
	case floats:
		return F64
	case calendar:
		return Date
	case kindsOf(Timestamp):
		return Timestamp
	}
	return Invalid
}

// Cost says how long a device takes for one row of an operator.
type Cost uint8

// The costs.
const (
	Cheap Cost = iota // an instruction or two for every element type, no dearer than a store
	Mild              // a few instructions
	Dear              // tens of cycles
)

// RowOps lists the element-wise operators of the language: arithmetic, comparisons,
// logic, casts and functions, for all of which [Op.IsElementwise] holds.
func RowOps() []Op {
	var list []Op
	for op := firstRowOp; op < endOfRowOps; op++ {
		if rowOps[op].form != formNone {
			list = append(list, op)
		}
	}
	return list
}

// row returns the description of an element-wise operator.
func (o Op) row() *rowOp {
	if !o.IsElementwise() {
		panic(fmt.Sprintf("ir: %v is no element-wise operator", o))
	}
	return &rowOps[o]
}

// IsElementwise reports whether o is an element-wise operator: row r of the result
// depends only on row r of the operands.
func (o Op) IsElementwise() bool { return o >= firstRowOp && o < endOfRowOps }

// IsInfix reports whether o is written between its operands.
func (o Op) IsInfix() bool { return o.IsElementwise() && o.row().form == formInfix }

// IsPrefix reports whether o is a sign before its operand.
func (o Op) IsPrefix() bool { return o.IsElementwise() && o.row().form == formPrefix }

// IsComparison reports whether o is one of == != < <= > >=.
func (o Op) IsComparison() bool { return o.IsInfix() && o.row().gives == Bool }

// Arity returns the number of operands of an element-wise operator, and 0 for other
// operators.
func (o Op) Arity() int {
	if !o.IsElementwise() {
		return 0
	}
	switch row := o.row(); row.form {
	case formInfix:
		return 2
	case formPrefix, formCast:
		return 1
	default:
		return row.arity
	}
}

// Takes reports whether operands of o, an element-wise operator, may be of kind k.
// For a shift that is the shifted operand, and for select the two choices. Only
// [Op.ResultKind] knows what can be added to dates and timestamps, and that decimals can
// be multiplied.
func (o Op) Takes(k Kind) bool { return o.row().takes.has(k) }

// Gives returns the element type of the result of o, an element-wise operator, for
// operands of kind k, in the sense of [Op.Takes]. Of a cast, which is called by
// the result's type, it is [Invalid].
func (o Op) Gives(k Kind) Kind {
	switch row := o.row(); {
	case row.rule == namedKind:
		return Invalid
	case row.rule == bitsOf && k.Size() == 8:
		return U64
	case row.rule == bitsOf:
		return U32
	case row.gives != Invalid:
		return row.gives
	}
	return k
}

// ResultKind returns the element type of the result of o, an element-wise operator,
// for operands of the given types; [Invalid] for a cast. Ok is false if the language
// has no such operation.
func (o Op) ResultKind(operands ...Kind) (result Kind, ok bool) {
	if len(operands) != o.Arity() {
		return Invalid, false
	}
	x, last := operands[0], operands[len(operands)-1]
	switch o.row().rule {
	case anyCount:
		return o.Gives(x), o.Takes(x) && last.IsInteger()
	case choice:
		return o.Gives(last), x == Bool && operands[1] == last && o.Takes(last)
	case unitOf:
		return o.Gives(x), o.Takes(x) && last == Char8
	case product:
		switch scale := x.Scale() + last.Scale(); {
		case x.IsDecimal() && last.IsDecimal() && scale > MaxScale:
			return Invalid, false
		case x.IsDecimal() && (last.IsDecimal() || last == I64), last.IsDecimal() && x == I64:
			return DecimalOf(scale), true
		}
	case sameKindOrCount:
		switch {
		case x.IsCalendar() && last == x:
			return x.Stored(), o == OpSub
		case x.IsCalendar():
			return x, last == x.Stored()
		case last.IsCalendar():
			return last, x == last.Stored() && o == OpAdd
		}
	}
	return o.Gives(last), x == last && o.Takes(last)
}

// IsComposed reports whether o, an element-wise operator on operands of kind k, is
// composed of others before it is compiled, so that no device computes it.
func (o Op) IsComposed(k Kind) bool {
	return o.row().composed || k == Timestamp && o.row().takes == calendar
}

// Cost returns the cost of o, an element-wise operator.
func (o Op) Cost() Cost { return o.row().cost }

// rowHelps is the help of the functions of rows.
func rowHelps() (list []OperatorHelp) {
	for _, op := range RowOps() {
		row := op.row()
		if row.form != formCall {
			continue
		}
		h := row.help
		h.Names = append([]string{row.text}, h.Names...)
		if h.Signature == "" {
			h.Signature = row.text + map[int]string{1: "(x)", 2: "(x, y)"}[row.arity]
		}
		if h.Result == "" {
			h.Result = "T, for " + row.takes.noun() + " of type T"
			if row.gives != Invalid {
				h.Result = row.gives.String() + ", for " + row.takes.noun()
			}
		}
		list = append(list, h)
	}
	return list
}

// rowFunctions are the element-wise operators that are called by name.
func rowFunctions() (list []function) {
	for _, op := range RowOps() {
		if op.row().form == formCall {
			list = append(list, function{op: op, least: op.Arity(), most: op.Arity(), build: buildRow})
		}
	}
	return list
}

// buildRow builds the call of an element-wise operator.
func buildRow(g *graph, c *call) operand {
	switch op := c.op.op; {
	case op == OpTruncate:
		return buildTruncate(g, c)
	case op == OpSelect:
		return buildSelect(g, c)
	case op.Arity() == 1:
		return g.function(c.pos, op, c.args[0])
	default:
		return g.binary(c.pos, op, c.args[0], c.args[1])
	}
}

// function is op(x).
func (g *graph) function(pos Pos, op Op, x operand) operand {
	takes := op.row().takes
	if k := takes.literal(); k != Invalid {
		x = g.as(x, k)
	} else {
		x = g.typed(x)
	}
	switch {
	case x.bad():
		return x
	case takes.has(x.kind()):
		return g.map1(pos, op, op.Gives(x.kind()), x)
	}
	hint := fmt.Sprintf("%v takes %s", op, takes.noun())
	if takes == floats {
		hint = fmt.Sprintf("convert it: %v(f64(%v))", op, x)
	}
	return g.fail(pos, hint, "%v of %v, which is %v", op, x, x.typ())
}
