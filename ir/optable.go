package ir

import (
	"fmt"
	"slices"
)

// form is how an operator is written.
type form uint8

const (
	formNone   form = iota
	formInfix       // x + y
	formPrefix      // -x
	formCall        // sum(x, by: g)
	formCast        // f64(x)
	formIndex       // x[i]
	formField       // x.left
)

// spelling is how an operator is written.
type spelling struct {
	form form
	text string
}

// spellings is the surface of every operator of the graph.
var spellings = withTables([opEnd]spelling{
	OpInvalid: {formNone, "invalid"}, OpParam: {formNone, "parameter"}, OpConst: {formNone, "constant"},
	OpCompact: {formIndex, "x[mask]"}, OpGather: {formIndex, "x[i]"},
	OpIndex: {formCall, "index"}, OpLen: {formCall, "len"}, OpPrev: {formCall, "prev"}, OpNext: {formCall, "next"},
	OpScan: {formCall, "scan"}, OpExscan: {formCall, "exscan"},
	OpRuns: {formCall, "runs"}, OpStarts: {formCall, "starts"}, OpGroups: {formCall, "groups"}, OpBins: {formCall, "bins"},
	OpRepeat: {formCall, "repeat"}, OpOrder: {formCall, "order"}, OpFind: {formCall, "find"}, OpJoin: {formCall, "join"},
	OpLeft: {formField, "left"}, OpRight: {formField, "right"}, OpAlign: {formCall, "align"},
})

// withTables adds the operators that have a table of their own.
func withTables(list [opEnd]spelling) [opEnd]spelling {
	for op := firstRowOp; op < endOfRowOps; op++ {
		list[op] = spelling{op.row().form, op.row().text}
	}
	for _, op := range Aggregates() {
		list[op] = spelling{formCall, op.Aggregate().name}
	}
	return list
}

// String returns the operator as it is written in source text.
func (o Op) String() string {
	switch {
	case o < opEnd:
		return spellings[o].text
	case o < endOfOps:
		return [...]string{"digits", "rank", "room", "scatter", "pack", "either", "expand", "placed", "search", "insert", "collect", "enter", "cuckoo", "probe", "match", "partners", "pairs", "matchparts", "enterparts", "distinct", "groupparts", "placeparts", "foldparts"}[o-opEnd]
	}
	return fmt.Sprintf("ir.Op(%d)", uint8(o))
}

// infix and prefix find operators by their text.
var infix, prefix = opsByText(formInfix), opsByText(formPrefix)

func opsByText(f form) map[string]Op {
	ops := map[string]Op{}
	for op, s := range spellings {
		if s.form == f {
			ops[s.text] = Op(op)
		}
	}
	return ops
}

// A function is an operator that is called by name.
type function struct {
	op         Op
	name       string
	least      int // positional operands, the operation of scan not counted
	most       int
	named      []string // operands that have a name
	needed     bool     // the named operands must be there
	operation  bool     // the first operand is add, mul, ... (scan)
	descending bool     // desc(x) may be an operand
	tuples     bool     // a tuple may be an operand
	build      func(*graph, *call) operand
}

// unlimited is the most operands of runs, groups and order: a sanity bound.
const unlimited = 1 << 10

var functions = slices.Concat(rowFunctions(), []function{
	{op: OpIndex, least: 1, most: 1, build: buildIndex},
	{op: OpLen, least: 1, most: 1, build: buildLen},
	{op: OpPrev, least: 3, most: 3, build: buildNeighbour},
	{op: OpNext, least: 3, most: 3, build: buildNeighbour},
	{op: OpScan, least: 1, most: 1, named: []string{"by"}, operation: true, build: buildScan},
	{op: OpExscan, least: 1, most: 1, named: []string{"by"}, operation: true, build: buildScan},
	{op: OpRuns, least: 1, most: unlimited, build: buildGroups},
	{op: OpStarts, least: 1, most: 1, build: buildStarts},
	{op: OpGroups, least: 1, most: unlimited, build: buildGroups},
	{op: OpBins, least: 2, most: 2, build: buildBins},
	{op: OpRepeat, least: 1, most: 1, build: buildRepeat},
	{op: OpOrder, least: 1, most: unlimited, named: []string{"limit"}, descending: true, build: buildOrder},
	{op: OpFind, least: 1, most: 1, named: []string{"in"}, needed: true, tuples: true, build: buildFind},
	{op: OpJoin, least: 2, most: 2, tuples: true, build: buildJoin},
	{op: OpAlign, least: 1, most: 1, named: []string{"to"}, needed: true, build: buildAlign},
	{op: OpLogicalAnd, name: "startswith", least: 2, most: 2, build: buildStartswith}, // written as comparisons
}, aggregateFunctions())

var functionsByName = byName(functions)

func byName(functions []function) map[string]*function {
	named := map[string]*function{}
	for i := range functions {
		f := &functions[i]
		if f.name == "" {
			f.name = f.op.String()
		}
		named[f.name] = f
	}
	return named
}
