package ir

import "fmt"

// The aggregates reduce rows to one value, or to one per group: Args is x, By
// the grouping or nil.
const (
	OpSum   Op = firstAggregate + iota
	OpCount    // Args is a mask or, with By, nothing
	OpMin
	OpMax
	OpAvg
	OpFirst
	OpLast
	OpProduct
	OpAny
	OpAll
	OpArgmin
	OpArgmax
	endOfAggregates
)

// aggregates describes every aggregate. It is all that the compiler knows of
// one: lowering, partials, emitted tests and random programs read it. The
// interpreter has a meaning of its own.
var aggregates = [endOfAggregates - firstAggregate]Aggregate{
	OpSum - firstAggregate: {name: "sum", takes: numbers | decimals, hint: "count true rows with count(%[1]v), or sum i64(%[1]v)",
		State: []StateField{sumOfRows}, help: OperatorHelp{
			Signature: "sum(x) or sum(x, by: g)",
			Result:    "i64 of signed integers, u64 of unsigned ones, f64 of floats, T of decimals T; with by: [g] of it",
			Doc:       "The sum of all rows, or of each group; 0 of none.",
			Example: `pipeline totals(k: [n]i32, x: [n]i32) {
	g = groups(k)
	return k: first(k, by: g), total: sum(x, by: g), share: f64(sum(x, by: g)) / f64(sum(x))
}`,
		}},
	OpCount - firstAggregate: {name: "count", takes: bools, optional: true, decides: true,
		State: []StateField{{Name: "count", Fold: ReduceAdd, kind: rowsKind}}, help: OperatorHelp{
			Signature: "count(mask), count(by: g) or count(mask, by: g)",
			Result:    "i64; with by: [g]i64",
			Doc:       "The number of true rows, or of all rows of each group. The rows of a column are len(x).",
			Example: `pipeline passes(class: [n]i32, score: [n]i32) {
	g = groups(class)
	return class: first(class, by: g), all: count(by: g), passed: count(score >= 50, by: g)
}`,
		}},
	OpMin - firstAggregate: {name: "min", takes: ordered, hint: hintOfMasks, NoRows: NoRowsElse,
		State: []StateField{{Name: "min", Fold: ReduceMin, kind: sameAsRows}}, help: OperatorHelp{
			Signature: "min(x), with by: g and else: v",
			Result:    "T, for x: [n]T; with by: [g]T",
			Doc:       "The least value; v of no rows, which without else: are an error. A NaN wins.",
			Example: `pipeline coldest(station: [n]i32, temperature: [n]f64) {
	g = groups(station)
	return station: first(station, by: g), low: min(temperature, by: g)
}`,
		}},
	OpMax - firstAggregate: {name: "max", takes: ordered, hint: hintOfMasks, NoRows: NoRowsElse,
		State: []StateField{{Name: "max", Fold: ReduceMax, kind: sameAsRows}}, help: OperatorHelp{
			Signature: "max(x), with by: g and else: v",
			Result:    "T, for x: [n]T; with by: [g]T",
			Doc:       "The greatest value; v of no rows, which without else: are an error. A NaN wins.",
			Example: `pipeline highest(x: [n]i32) {
	return most: max(x[x < 1000], else: 0)
}`,
		}},
	OpAvg - firstAggregate: {name: "avg", takes: numbers | decimals, hint: "the share of true rows is avg(f64(%[1]v))", NoRows: NoRowsElse, Finish: FinishQuotient,
		State: []StateField{sumOfRows, CountOfRows}, help: OperatorHelp{
			Names:     []string{"mean"},
			Signature: "avg(x), with by: g and else: v",
			Result:    "f64; with by: [g]f64",
			Doc:       "f64(sum) / f64(count), of decimals avg(unscaled(x)) / f64(10^scale); v of no rows, which without else: are an error.",
			Example: `pipeline means(class: [n]i32, score: [n]i32) {
	g = groups(class)
	return class: first(class, by: g), mean: avg(score, by: g)
}`,
		}},
	OpFirst - firstAggregate: {name: "first", takes: elements, NoRows: NoRowsElse,
		State: []StateField{{Name: "first", Fold: ReduceFirst, kind: sameAsRows}}, help: OperatorHelp{
			Signature: "first(x), with by: g and else: v",
			Result:    "T, for x: [n]T; with by: [g]T",
			Doc:       "The value of the first row; v of no rows, which without else: are an error.",
			Example: `pipeline keys(k: [n]i32) {
	return key: first(k, by: groups(k))
}`,
		}},
	OpLast - firstAggregate: {name: "last", takes: elements, NoRows: NoRowsElse,
		State: []StateField{{Name: "last", Fold: ReduceLast, kind: sameAsRows}}, help: OperatorHelp{
			Signature: "last(x), with by: g and else: v",
			Result:    "T, for x: [n]T; with by: [g]T",
			Doc:       "The value of the last row; v of no rows, which without else: are an error.",
			Example: `pipeline closing(day: [n]date, price: [n]f64) {
	g = runs(day)
	return day: first(day, by: g), close: last(price, by: g)
}`,
		}},
	OpProduct - firstAggregate: {name: "product", takes: numbers, hint: "all rows true: all(%[1]v)",
		State: []StateField{{Name: "product", Fold: ReduceMul, kind: SumKind}}, help: OperatorHelp{
			Names:     []string{"prod"},
			Signature: "product(x) or product(x, by: g)",
			Result:    "i64 of signed integers, u64 of unsigned ones, f64 of floats; with by: [g] of it",
			Doc:       "The product of all rows, or of each group; 1 of none.",
			Example: `pipeline growth(fund: [n]i32, rate: [n]f64) {
	g = runs(fund)
	return fund: first(fund, by: g), growth: product(1 + rate, by: g)
}`,
		}},
	OpAny - firstAggregate: {name: "any", takes: bools, hint: "any row other than 0: any(%[1]v != 0)", decides: true,
		State: []StateField{{Name: "any", Fold: ReduceOr, kind: sameAsRows}}, help: OperatorHelp{
			Names:     []string{"some"},
			Signature: "any(mask) or any(mask, by: g)",
			Result:    "bool; with by: [g]bool",
			Doc:       "Whether a row is true, of all or of each group; false of none.",
			Example: `pipeline failed(class: [n]i32, score: [n]i32) {
	g = runs(class)
	return class: first(class, by: g)[any(score < 50, by: g)]
}`,
		}},
	OpAll - firstAggregate: {name: "all", takes: bools, hint: "all rows other than 0: all(%[1]v != 0)", decides: true,
		State: []StateField{{Name: "all", Fold: ReduceAnd, kind: sameAsRows}}, help: OperatorHelp{
			Names:     []string{"every"},
			Signature: "all(mask) or all(mask, by: g)",
			Result:    "bool; with by: [g]bool",
			Doc:       "Whether every row is true, of all or of each group; true of none.",
			Example: `pipeline complete(due: [n]date, paid: [n]date) {
	return in_time: all(paid <= due)
}`,
		}},
	OpArgmin - firstAggregate: {name: "argmin", takes: ordered, hint: hintOfMasks, NoRows: NoRowsFail, Finish: FinishRow, decides: true,
		State: []StateField{{Name: "min", Fold: ReduceMin, kind: sameAsRows}, rowOfExtreme}, help: OperatorHelp{
			Signature: "argmin(x) or argmin(x, by: g)",
			Result:    "a row of n, for x: [n]T; with by: [g]→n",
			Doc:       "The row of the least value, the first of several; no rows are an error.",
			Example: `pipeline cheapest(shop: [n]i32, product: [n]i32, price: [n]i64) {
	return product: product[argmin(price, by: groups(product))], shop: shop[argmin(price, by: groups(product))]
}`,
		}},
	OpArgmax - firstAggregate: {name: "argmax", takes: ordered, hint: hintOfMasks, NoRows: NoRowsFail, Finish: FinishRow, decides: true,
		State: []StateField{{Name: "max", Fold: ReduceMax, kind: sameAsRows}, rowOfExtreme}, help: OperatorHelp{
			Signature: "argmax(x) or argmax(x, by: g)",
			Result:    "a row of n, for x: [n]T; with by: [g]→n",
			Doc:       "The row of the greatest value, the first of several; no rows are an error.",
			Example: `pipeline winner(name: [n]char8, score: [n]i32) {
	return name: name[argmax(score)]
}`,
		}},
}

// Aggregate describes an aggregate operator, such as sum. It computes a state from
// the rows, and its result from the state. A state is a list of fields. Each field
// folds one element per row; the state of no rows has the identity of each fold.
type Aggregate struct {
	State  []StateField
	Finish AggregateFinish // how the result is computed from the state
	NoRows NoRows          // what the result of no rows is

	name     string
	takes    kinds  // of the aggregated column
	optional bool   // by: alone will do
	decides  bool   // an inexact operand may change the result by more than rounding
	hint     string // what is right for a column that is not taken, such as a mask
	help     OperatorHelp
}

// StateField is a field of an aggregate's state.
type StateField struct {
	Name    string
	Fold    ReduceOp         // how the states of earlier and later rows combine
	Element AggregateElement // the element that a row contributes
	Holders bool             // only rows that hold the value of the first field contribute
	kind    func(x Kind) Kind
}

// CountsRows reports whether the field is the number of rows.
func (f StateField) CountsRows() bool { return f.Fold == ReduceAdd && f.Element == ElementOne }

// Kind returns the kind of the field if rows of kind x are aggregated.
func (f StateField) Kind(x Kind) Kind { return f.kind(x) }

// AggregateElement is the element that a row contributes to a field of a state.
type AggregateElement uint8

// The elements of fields.
const (
	ElementArgument AggregateElement = iota // the aggregated value in the kind of the field; 1 if there is none, as in count(by: g)
	ElementOne                              // 1
	ElementRow                              // the number of the row
)

// AggregateFinish is how the result of an aggregate is computed from its state.
type AggregateFinish uint8

// The ways to compute a result.
const (
	FinishField    AggregateFinish = iota // the first field is the result
	FinishQuotient                        // the first field divided by the second, as f64
	FinishRow                             // the second field, which is the number of a row
)

// NoRows is what the result of an aggregate of no rows is.
type NoRows uint8

// The results of no rows.
const (
	NoRowsIdentity NoRows = iota // the finished identity, such as 0 of a sum
	NoRowsElse                   // the operand else:, without which it is an error
	NoRowsFail                   // an error
)

var (
	sumOfRows = StateField{Name: "sum", Fold: ReduceAdd, kind: SumKind}

	// CountOfRows is the field that counts the rows of a group.
	CountOfRows = StateField{Name: "count", Fold: ReduceAdd, Element: ElementOne, kind: rowsKind}

	// FirstRow and LastRow are the fields that hold the number of a row.
	FirstRow = StateField{Name: "row", Fold: ReduceMin, Element: ElementRow, kind: rowsKind}
	LastRow  = StateField{Name: "row", Fold: ReduceMax, Element: ElementRow, kind: rowsKind}

	// rowOfExtreme is the first row that holds the least or greatest value.
	rowOfExtreme = StateField{Name: "row", Fold: ReduceMin, Element: ElementRow, Holders: true, kind: rowsKind}
)

const hintOfMasks = "any row true: any(%[1]v); all rows true: all(%[1]v)"

func sameAsRows(x Kind) Kind { return x }
func rowsKind(Kind) Kind     { return I64 }

// SumKind returns the kind in which values of kind k are added.
func SumKind(k Kind) Kind {
	switch {
	case k.IsFloat():
		return F64
	case k.IsUnsigned():
		return U64
	case k.IsDecimal():
		return k
	}
	return I64
}

// Aggregates lists the aggregates.
func Aggregates() []Op {
	var list []Op
	for op := firstAggregate; op < endOfAggregates; op++ {
		list = append(list, op)
	}
	return list
}

// IsAggregate reports whether o reduces rows to one value or one per group.
func (o Op) IsAggregate() bool { return o >= firstAggregate && o < endOfAggregates }

// Aggregate returns the description of an aggregate.
func (o Op) Aggregate() *Aggregate {
	if !o.IsAggregate() {
		panic(fmt.Sprintf("ir: %v is no aggregate", o))
	}
	return &aggregates[o-firstAggregate]
}

// Takes reports whether columns of kind x can be aggregated.
func (a *Aggregate) Takes(x Kind) bool { return a.takes.has(x) }

// Result returns the kind of the result if rows of kind x are aggregated.
func (a *Aggregate) Result(x Kind) Kind {
	switch a.Finish {
	case FinishField:
		return a.State[0].Kind(x)
	case FinishQuotient:
		return F64
	case FinishRow:
		return a.State[1].Kind(x)
	}
	panic(fmt.Sprintf("ir: no finish %d of %s", a.Finish, a.name))
}

// GivesRow reports whether the result is the number of a row.
func (a *Aggregate) GivesRow() bool { return a.Finish == FinishRow }

// IsEdge reports whether the result is the value of one row, the first or the
// last.
func (a *Aggregate) IsEdge() bool {
	return a.Finish == FinishField && len(a.State) == 1 && (a.State[0].Fold == ReduceFirst || a.State[0].Fold == ReduceLast)
}

// FloatFold returns ReduceAdd or ReduceMul if v folds floats by that operation in an
// order that devices choose, and ReduceNone otherwise.
func (v *Value) FloatFold() ReduceOp {
	var fold ReduceOp
	var k Kind
	switch {
	case v.Op == OpScan, v.Op == OpExscan:
		fold, k = v.Reduce, v.Type.Kind
	case v.Op.IsAggregate() && len(v.Args) > 0:
		a := v.Op.Aggregate()
		switch a.Finish {
		case FinishField, FinishQuotient, FinishRow: // a quotient divides by a count, which is exact
			fold, k = a.State[0].Fold, a.State[0].Kind(v.Args[0].Type.Kind)
		default:
			panic(fmt.Sprintf("ir: no finish %d of %s", a.Finish, a.name))
		}
	}
	if k.IsFloat() && (fold == ReduceAdd || fold == ReduceMul) {
		return fold
	}
	return ReduceNone
}

// aggregateFunctions returns how aggregates are called.
func aggregateFunctions() (list []function) {
	for _, op := range Aggregates() {
		a := op.Aggregate()
		f := function{op: op, least: 1, most: 1, named: []string{"by"}, build: buildAggregate}
		if a.NoRows == NoRowsElse {
			f.named = append(f.named, "else")
		}
		if a.optional {
			f.least, f.build = 0, buildCount
		}
		list = append(list, f)
	}
	return list
}

// aggregateHelps returns what kgen help says of aggregates.
func aggregateHelps() (list []OperatorHelp) {
	for _, op := range Aggregates() {
		a := op.Aggregate()
		h := a.help
		h.Names = append([]string{a.name}, h.Names...)
		list = append(list, h)
	}
	return list
}

// identity is the text of what no rows give if they always give something.
func (a *Aggregate) identity() string {
	switch a.State[0].Fold {
	case ReduceAdd:
		return "0"
	case ReduceMul:
		return "1"
	case ReduceOr:
		return "false"
	case ReduceAnd:
		return "true"
	}
	panic(fmt.Sprintf("ir: no text for the identity of %s", a.name))
}
