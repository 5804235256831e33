package ir

import "go/token"

// The element-wise operators: row r of the result depends only on row r of the
// operands. A scalar operand counts as a column with the same value in each
// row.
const (
	// Of two operands.
	OpAdd Op = firstRowOp + iota
	OpSub
	OpMul
	OpDiv
	OpRem
	OpAnd
	OpOr
	OpXor
	OpAndNot
	OpShl
	OpShr
	OpEq
	OpNe
	OpLt
	OpLe
	OpGt
	OpGe
	OpLogicalAnd
	OpLogicalOr
	OpLeast
	OpGreatest
	// Of one operand.
	OpNeg
	OpComplement // ^x
	OpNot        // !x
	OpCast       // to Type.Kind
	OpAbs
	OpSqrt
	OpYear
	OpMonth
	OpDay
	OpWeekday
	OpHour
	OpMinute
	OpSecond
	OpPopcount
	OpLeadingzeros
	OpTrailingzeros
	OpFloor
	OpCeil
	OpTrunc
	OpRound    // to even
	OpUnscaled // the i64 that stands for a decimal
	// Of one operand, and a constant unit.
	OpTruncate
	// Of three operands.
	OpSelect // Args: condition, then, otherwise
	// Of the compiler alone: the language cannot spell them.
	OpBits   // the bits of a float or char8 as an unsigned integer, which orders as the char8 does
	OpOfBits // the f64 that has the bits of a u64
	endOfRowOps
)

// rowOps describes every element-wise operator. It is all that the compiler knows
// about operators, except what a device computes: each backend has a table of its
// own for that.
var rowOps = [endOfRowOps]rowOp{
	OpAdd:        {text: "+", token: token.ADD, form: formInfix, strength: 4, takes: numbers | decimals, rule: sameKindOrCount, bounds: binaryRange},
	OpSub:        {text: "-", token: token.SUB, form: formInfix, strength: 4, takes: numbers | decimals, rule: sameKindOrCount, bounds: binaryRange},
	OpMul:        {text: "*", token: token.MUL, form: formInfix, strength: 5, takes: numbers, rule: product, cost: Mild, bounds: binaryRange},
	OpDiv:        {text: "/", token: token.QUO, form: formInfix, strength: 5, takes: numbers, cost: Dear, bounds: binaryRange},
	OpRem:        {text: "%", token: token.REM, form: formInfix, strength: 5, takes: integers, cost: Dear, bounds: binaryRange},
	OpAnd:        {text: "&", token: token.AND, form: formInfix, strength: 5, takes: integers, bounds: binaryRange},
	OpOr:         {text: "|", token: token.OR, form: formInfix, strength: 4, takes: integers, bounds: binaryRange},
	OpXor:        {text: "^", token: token.XOR, form: formInfix, strength: 4, takes: integers, bounds: binaryRange},
	OpAndNot:     {text: "&^", token: token.AND_NOT, form: formInfix, strength: 5, takes: integers, bounds: binaryRange},
	OpShl:        {text: "<<", token: token.SHL, form: formInfix, strength: 5, takes: integers, rule: anyCount, cost: Mild, bounds: binaryRange},
	OpShr:        {text: ">>", token: token.SHR, form: formInfix, strength: 5, takes: integers, rule: anyCount, cost: Mild, bounds: binaryRange},
	OpEq:         {text: "==", token: token.EQL, form: formInfix, strength: 3, takes: elements, gives: Bool},
	OpNe:         {text: "!=", token: token.NEQ, form: formInfix, strength: 3, takes: elements, gives: Bool},
	OpLt:         {text: "<", token: token.LSS, form: formInfix, strength: 3, takes: ordered, gives: Bool},
	OpLe:         {text: "<=", token: token.LEQ, form: formInfix, strength: 3, takes: ordered, gives: Bool},
	OpGt:         {text: ">", token: token.GTR, form: formInfix, strength: 3, takes: ordered, gives: Bool},
	OpGe:         {text: ">=", token: token.GEQ, form: formInfix, strength: 3, takes: ordered, gives: Bool},
	OpLogicalAnd: {text: "&&", form: formInfix, strength: 2, takes: bools},
	OpLogicalOr:  {text: "||", form: formInfix, strength: 1, takes: bools},
	OpLeast: {text: "least", form: formCall, arity: 2, takes: ordered, cost: Mild, bounds: binaryRange, help: OperatorHelp{
		Result: "T, for x and y of type T, not bool",
		Doc:    "The lesser of two values, row by row. A NaN wins.",
		Example: `pipeline cap(x: [n]i32) {
	return capped: least(x, 100)
}`,
	}},
	OpGreatest: {text: "greatest", form: formCall, arity: 2, takes: ordered, cost: Mild, bounds: binaryRange, help: OperatorHelp{
		Result: "T, for x and y of type T, not bool",
		Doc:    "The greater of two values, row by row. A NaN wins.",
		Example: `pipeline positive(x: [n]i32) {
	return x: greatest(x, 0)
}`,
	}},
	OpNeg:        {text: "-", token: token.SUB, form: formPrefix, takes: numbers | decimals, cost: Mild, bounds: unaryRange},
	OpComplement: {text: "^", token: token.XOR, form: formPrefix, takes: integers, cost: Mild, bounds: unaryRange},
	OpNot:        {text: "!", form: formPrefix, takes: bools},
	OpCast:       {text: "cast", form: formCast, takes: numbers | decimals | calendar | bools | kindsOf(Text), rule: namedKind, steps: true},
	OpAbs: {text: "abs", form: formCall, arity: 1, takes: numbers | decimals, cost: Mild, bounds: unaryRange, help: OperatorHelp{
		Doc: "The absolute value; that of the least integer is itself.",
		Example: `pipeline distances(x: [n]f64, y: [n]f64) {
	return distance: abs(x - y)
}`,
	}},
	OpSqrt: {text: "sqrt", form: formCall, arity: 1, takes: floats, cost: Dear, help: OperatorHelp{
		Doc: "The square root, correctly rounded.",
		Example: `pipeline lengths(x: [n]f64, y: [n]f64) {
	return length: sqrt(x * x + y * y)
}`,
	}},
	OpYear: {text: "year", form: formCall, arity: 1, takes: calendar, gives: I32, cost: Dear,
		bounds: always(-5877641, 5881580), // the years that an i32 of days reaches
		help: OperatorHelp{
			Doc: "The year of a date or timestamp.",
			Example: `pipeline years(day: [n]date) {
	g = groups(year(day))
	return year: first(year(day), by: g), days: count(by: g)
}`,
		}},
	OpMonth: {text: "month", form: formCall, arity: 1, takes: calendar, gives: I32, cost: Dear, bounds: always(1, 12), help: OperatorHelp{
		Doc: "The month of a date or timestamp, 1 to 12.",
		Example: `pipeline months(day: [n]date) {
	return rows: count(by: bins(month(day) - 1, 12))
}`,
	}},
	OpDay: {text: "day", form: formCall, arity: 1, takes: calendar, gives: I32, cost: Dear, bounds: always(1, 31), help: OperatorHelp{
		Doc: "The day of the month of a date or timestamp, 1 to 31.",
		Example: `pipeline paydays(day: [n]date, amount: [n]i64) {
	return amount[day(day) == 1]
}`,
	}},
	OpWeekday: {text: "weekday", form: formCall, arity: 1, takes: calendar, gives: I32, cost: Dear, composed: true, bounds: always(1, 7), help: OperatorHelp{
		Names: []string{"dayofweek", "isodow"},
		Doc:   "The day of the week of a date or timestamp by ISO 8601: 1 is Monday, 7 is Sunday.",
		Example: `pipeline busy_days(day: [n]date) {
	return rows: count(by: bins(weekday(day) - 1, 7))
}`,
	}},
	OpHour: {text: "hour", form: formCall, arity: 1, takes: kindsOf(Timestamp), gives: I32, cost: Dear, composed: true, bounds: always(0, 23), help: OperatorHelp{
		Doc: "The hour of a timestamp in UTC, 0 to 23.",
		Example: `pipeline busy_hours(at: [n]timestamp) {
	return rows: count(by: bins(hour(at), 24))
}`,
	}},
	OpMinute: {text: "minute", form: formCall, arity: 1, takes: kindsOf(Timestamp), gives: I32, cost: Dear, composed: true, bounds: always(0, 59), help: OperatorHelp{
		Doc: "The minute of the hour of a timestamp, 0 to 59.",
		Example: `pipeline quarters(at: [n]timestamp) {
	return rows: count(by: bins(minute(at) / 15, 4))
}`,
	}},
	OpSecond: {text: "second", form: formCall, arity: 1, takes: kindsOf(Timestamp), gives: I32, cost: Dear, composed: true, bounds: always(0, 59), help: OperatorHelp{
		Doc: "The whole second of the minute of a timestamp, 0 to 59.",
		Example: `pipeline on_the_minute(at: [n]timestamp) {
	return rows: count(second(at) == 0)
}`,
	}},
	OpPopcount: {text: "popcount", form: formCall, arity: 1, takes: integers, cost: Mild, bounds: bitCount, help: OperatorHelp{
		Names: []string{"bit_count"},
		Doc:   "The number of bits that are 1; of a negative integer, in two's complement.",
		Example: `pipeline distances(x: [n]u64, y: [n]u64) {
	return differing_bits: popcount(x ^ y)
}`,
	}},
	OpLeadingzeros: {text: "leadingzeros", form: formCall, arity: 1, takes: integers, cost: Mild, bounds: bitCount, help: OperatorHelp{
		Names: []string{"clz"},
		Doc:   "The number of 0 bits above the highest 1; of 0 the width of its type.",
		Example: `pipeline magnitudes(x: [n]u32) {
	return rows: count(by: bins(32 - leadingzeros(x), 33))
}`,
	}},
	OpTrailingzeros: {text: "trailingzeros", form: formCall, arity: 1, takes: integers, cost: Mild, bounds: bitCount, help: OperatorHelp{
		Names: []string{"ctz"},
		Doc:   "The number of 0 bits below the lowest 1; of 0 the width of its type.",
		Example: `pipeline lowest_flags(flags: [n]u16) {
	some = flags != 0
	return flag: trailingzeros(flags[some])
}`,
	}},
	OpFloor: {text: "floor", form: formCall, arity: 1, takes: floats, steps: true, cost: Mild, help: OperatorHelp{
		Doc: "The greatest whole number that is not above x.",
		Example: `pipeline cells(x: [n]f64, size: f64) {
	return cell: floor(x / size)
}`,
	}},
	OpCeil: {text: "ceil", form: formCall, arity: 1, takes: floats, steps: true, cost: Mild, help: OperatorHelp{
		Names: []string{"ceiling"},
		Doc:   "The least whole number that is not below x.",
		Example: `pipeline boxes(weight: [n]f64, most: f64) {
	return boxes: i64(ceil(weight / most))
}`,
	}},
	OpTrunc: {text: "trunc", form: formCall, arity: 1, takes: floats, steps: true, cost: Mild, help: OperatorHelp{
		Doc: "x without its fraction, toward 0.",
		Example: `pipeline fractions(x: [n]f64) {
	return fraction: x - trunc(x)
}`,
	}},
	OpRound: {text: "round", form: formCall, arity: 1, takes: floats, steps: true, cost: Mild, help: OperatorHelp{
		Names: []string{"rint"},
		Doc:   "The nearest whole number; of two, the even one.",
		Example: `pipeline cents(amount: [n]f64) {
	return cents: i64(round(amount * 100))
}`,
	}},
	OpUnscaled: {text: "unscaled", form: formCall, arity: 1, takes: decimals, gives: I64, composed: true, bounds: sameRange, help: OperatorHelp{
		Doc: "A decimal without its point: 1250 for the decimal(2) 12.50.",
		Example: `pipeline cents(price: [n]decimal(2)) {
	return cents: unscaled(price), whole: i64(price)
}`,
	}},
	OpTruncate: {text: "truncate", form: formCall, arity: 2, takes: calendar, rule: unitOf, cost: Dear, composed: true, help: OperatorHelp{
		Names:     []string{"date_trunc", "datetrunc"},
		Signature: `truncate(t, "unit")`,
		Result:    "date or timestamp, as t is",
		Doc: "The beginning of the second, minute, hour, day, week, month, quarter or year of t. Weeks begin on Monday. " +
			"Dates have no units below day.",
		Example: `pipeline revenue(at: [n]timestamp, amount: [n]i64) {
	month = truncate(date(at), "month")
	g = groups(month)
	return month: first(month, by: g), revenue: sum(amount, by: g)
}`,
	}},
	OpSelect: {text: "select", form: formCall, arity: 3, takes: elements, rule: choice, help: OperatorHelp{
		Names:     []string{"if", "where", "case"},
		Signature: "select(condition, x, y)",
		Result:    "T, for x and y of type T and a bool condition",
		Doc:       "x where the condition is true, else y; both are computed.",
		Example: `pipeline divide(x: [n]i64, y: [n]i64) {
	return quotient: x / select(y == 0, 1, y)
}`,
	}},
	OpBits:   {text: "bits", arity: 1, takes: floats | kindsOf(Char8), rule: bitsOf},
	OpOfBits: {text: "of_bits", arity: 1, takes: kindsOf(U64), gives: F64},
}

// always bounds a result that does not depend on the operands.
func always(lo, hi int64) func(Op, Kind, valueRange, valueRange) valueRange {
	return func(Op, Kind, valueRange, valueRange) valueRange { return between(lo, hi) }
}

// sameRange bounds the operand itself.
func sameRange(_ Op, _ Kind, x, _ valueRange) valueRange { return x }

// bitCount bounds a number of bits of x.
func bitCount(op Op, k Kind, x, _ valueRange) valueRange {
	r := between(0, int64(8*k.Size()))
	switch nonZero := x.excludesZero(); {
	case op == OpPopcount:
		r.nonZero = nonZero
	case nonZero:
		r.hi--
	}
	return r
}

// Weekday returns weekday(x): the day of the week of a date or timestamp, 1 (Monday) to 7.
func (b *Builder) Weekday(x any) Operand { return b.call(OpWeekday, x) }

// Hour returns hour(x) of a timestamp, 0 to 23.
func (b *Builder) Hour(x any) Operand { return b.call(OpHour, x) }

// Minute returns minute(x) of a timestamp, 0 to 59.
func (b *Builder) Minute(x any) Operand { return b.call(OpMinute, x) }

// Second returns second(x) of a timestamp, 0 to 59.
func (b *Builder) Second(x any) Operand { return b.call(OpSecond, x) }

// Truncate returns truncate(x, unit): the beginning of a unit of a date or timestamp, of
// which [UnitsOf] are the names.
func (b *Builder) Truncate(x any, unit string) Operand { return b.call(OpTruncate, x, unit) }

// Popcount returns popcount(x): how many bits of an integer are 1.
func (b *Builder) Popcount(x any) Operand { return b.call(OpPopcount, x) }

// Leadingzeros returns leadingzeros(x): how many bits above the highest 1 are 0.
func (b *Builder) Leadingzeros(x any) Operand { return b.call(OpLeadingzeros, x) }

// Trailingzeros returns trailingzeros(x): how many bits below the lowest 1 are 0.
func (b *Builder) Trailingzeros(x any) Operand { return b.call(OpTrailingzeros, x) }

// Floor returns floor(x): a float rounded down to a whole number.
func (b *Builder) Floor(x any) Operand { return b.call(OpFloor, x) }

// Ceil returns ceil(x): a float rounded up to a whole number.
func (b *Builder) Ceil(x any) Operand { return b.call(OpCeil, x) }

// Trunc returns trunc(x): a float rounded toward 0 to a whole number.
func (b *Builder) Trunc(x any) Operand { return b.call(OpTrunc, x) }

// Round returns round(x): a float rounded to the nearest whole number, ties to even.
func (b *Builder) Round(x any) Operand { return b.call(OpRound, x) }
