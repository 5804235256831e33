package ir

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Pos is a place in source text. Line and Column count from 1; Column counts
// bytes; it is 0 for what a Go program built. The zero Pos is unknown.
type Pos struct {
	File         string
	Line, Column int
}

// IsValid reports whether p is known.
func (p Pos) IsValid() bool { return p.Line > 0 }

// Base returns p with the name of the file alone, without its folders: what is
// emitted must not depend on where it was.
func (p Pos) Base() Pos {
	if p.File != "" {
		p.File = strings.ToValidUTF8(filepath.Base(p.File), "\uFFFD")
	}
	return p
}

// String returns file:line:column, or "" if p is unknown.
func (p Pos) String() string {
	if !p.IsValid() {
		return ""
	}
	if p.Column == 0 { // a place in a Go program
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Value is a node of the graph. Values are immutable once built.
type Value struct {
	ID   int // position in Pipeline.Values; operands have smaller IDs
	Op   Op
	Type Type
	Args []*Value // positional operands, in source order
	By   *Value   // the by: operand (an index column), or nil; of a scalar condition of the compiler: another, without which it is not found out, but 0
	Else *Value   // the else: operand, a scalar, or nil; of an OpInsert with a limit: a scalar of the plan, about how many different keys there are, or 0

	Const    Scalar   // OpConst: the value; OpParam: the default, if Const.Kind != Invalid
	Missing  Scalar   // OpParam, a column: what a row has where its source has no value; Kind Invalid if that is an error
	Literal  *string  // OpParam of kind Text: the constant it stands for if Hidden, else the text of Const or Missing
	Hidden   bool     // OpParam: a constant of kind Text, which the pipeline does not declare
	Like     *Pattern // OpParam, a bool column: what it says of each row of a column of texts, its source
	Present  *Value   // OpParam, a bool column: the parameter of whose rows it tells which have a value
	Reduce   ReduceOp // OpScan, OpExscan
	Shift    int64    // OpPrev, OpNext: rows, >= 0; OpEnterParts: by how many high bits of their hashes, of 32, the rows are sorted
	Split    int      // OpFind, OpJoin: Args[:Split] is the left key tuple, Args[Split:] the right one; OpRank: bits of a digit; OpInsert: by how many high bits of their slots the rows are sorted; OpMatch, OpEnterParts, OpEnter in any order: of what number slots are multiples from which on searches go, if of any; OpBins: without how many low bits of their bins, if any; OpGroupParts: with how many groups a part may be divided
	Desc     []bool   // OpOrder: per key, descending
	Limit    *Value   // OpOrder: the limit: operand, or nil; of a fold of the compiler: a condition that others have not, or nil
	AnyOrder bool     // OpRank: rows of one digit may go to each other's places; OpEnter: rows come in any order, and of words with the same high bits the least stays
	Padded   bool     // OpGather: the last element is 0, as what is gathered where there is none
	Direct   bool     // OpInsert: rows of one slot have equal keys; OpEnter: words of one slot have, the least of them stays, and free slots have all bits set
	Likely   bool     // of a scalar condition of the compiler: it usually holds

	Name string // the statement or parameter that names it, or ""
	Doc  string // of a parameter: the comment beside it, without comment marks
	Pos  Pos
}

// Operands returns all operands, Args first, then By, Else and Limit.
func (v *Value) Operands() []*Value {
	all := make([]*Value, 0, len(v.Args)+3)
	all = append(all, v.Args...)
	for _, o := range [...]*Value{v.By, v.Else, v.Limit} {
		if o != nil {
			all = append(all, o)
		}
	}
	return all
}

// ReduceOp is an operation that folds rows: that of a scan, or of a field of an
// aggregate's state.
type ReduceOp uint8

// The operations. The first and the last row are no operations of scan.
const (
	ReduceNone ReduceOp = iota
	ReduceAdd
	ReduceMul
	ReduceMin
	ReduceMax
	ReduceAnd
	ReduceOr
	ReduceXor
	ReduceFirst
	ReduceLast
)

// reduceNames are the operations of scan.
var reduceNames = [...]string{"", "add", "mul", "min", "max", "and", "or", "xor"}

// String returns the name of r in source text, "first" or "last"; "" for
// ReduceNone.
func (r ReduceOp) String() string {
	switch r {
	case ReduceFirst:
		return "first"
	case ReduceLast:
		return "last"
	}
	return reduceNames[r]
}

// Result is one column or scalar of the return statement. Results over one
// domain form one table.
type Result struct {
	Label string
	Value *Value
	Doc   string // the comment beside it, without comment marks
	Pos   Pos
}

// Pipeline is a verified function. It is safe for concurrent use.
type Pipeline struct {
	Name         string
	Doc          string // the comment above the pipeline, without comment marks
	Pos          Pos
	Params       []*Value // OpParam, in order; then the constants of type text, see Declared
	Values       []*Value // every value that the results need: parameters, constants, then in source order, operands first
	Domains      []*Domain
	Results      []Result
	Unordered    bool   // return unordered
	Reproducible bool   // return reproducible: float sums have the same bits on every device
	Sites        []Site // the checks that run-time data can fail, in number order
	Warnings     []Error

	facts    *facts
	expanded bool // a pass has put it together: the user sees nothing of it
}

// Analyzed returns p, which a pass has put together, with what is known of its
// values.
func (p *Pipeline) Analyzed() *Pipeline {
	known := *p
	known.expanded = true
	known.facts = analyze(&known)
	return &known
}

// CheckKind is what a check site checks.
type CheckKind uint8

// The checks. Each is listed with the value that a failing row continues with.
const (
	CheckDivideByZero CheckKind = iota // integer / and %: 0
	CheckIndexRange                    // x[i]: the index is clamped to a row of x (0 where x is empty, which yields a zero value)
	CheckBinRange                      // bins: row belongs to no bin
	CheckBinSize                       // bins(i, size) with size < 0: 0
	CheckRepeatLength                  // repeat of a negative length: 0
	CheckLimit                         // order(limit:) negative: 0
	CheckAlignLength                   // align: x is cut or padded with zero values
	CheckEmpty                         // min max avg first last argmin argmax of no rows without else: 0
)

// Site is a place where run-time data can break a rule. Numbers follow source
// order, operands first; of all failing sites the lowest number is reported,
// with its smallest failing row.
type Site struct {
	Number  int // position in Pipeline.Sites
	Kind    CheckKind
	Value   *Value
	Pos     Pos
	Domain  *Domain // rows are counted in it; nil for a scalar check, whose row is 0
	Message string  // what is wrong and what would be right, without position or row
}
