package simt

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/naming"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// arguments are the parameters of one kernel, made when they are first used.
type arguments struct {
	b     *loop.Builder
	list  []plan.Arg
	known map[argument]int // positions in list
	vars  []*loop.Var      // one per position
	row0  loop.Expr        // where tile 0 begins
	rows  loop.Expr        // from there to the end of the launch
	part  loop.Expr        // the first row of the launch, in parts
}

// An argument identifies a parameter. The name alone does not: a user's column
// may have a name that lowering also gives.
type argument struct {
	sort argumentSort
	name string
}

type argumentSort uint8

const (
	bufferArgument argumentSort = iota
	wordsArgument               // a buffer as words
	scalarArgument
	valueArgument // an expression of the host
)

// newArguments begins with the two parameters that every kernel takes first.
func newArguments(b *loop.Builder) *arguments {
	// To the host they are 64 bits wide; a launch itself has fewer than 2^31 rows.
	row0, rows := b.Param("row0", loop.ScalarOf(ir.I64)), b.Param("rows", loop.ScalarOf(ir.I64))
	return &arguments{b: b, known: map[argument]int{}, row0: b.Let("row0", loop.ToCounter(row0)), rows: b.Let("rows", loop.ToCounter(rows))}
}

// beginAt0 numbers tiles and rows from the start of the first part.
func (a *arguments) beginAt0() {
	a.part = a.row0
	a.row0, a.rows = loop.Int(0), a.b.Let("end", loop.Add(a.part, a.rows))
}

// param returns the parameter for what, made from t and arg at its first use.
func (a *arguments) param(what argument, t loop.Type, arg plan.Arg) *loop.Var {
	if i, ok := a.known[what]; ok {
		return a.vars[i]
	}
	arg.Name = what.name
	for i := 2; slices.ContainsFunc(a.list, func(other plan.Arg) bool { return other.Name == arg.Name }); i++ {
		arg.Name = fmt.Sprintf("%s_%d", what.name, i)
	}
	v := a.b.Param(arg.Name, t)
	a.known[what] = len(a.list)
	a.list, a.vars = append(a.list, arg), append(a.vars, v)
	return v
}

// buffer returns a buffer of the plan.
func (a *arguments) buffer(name string, k ir.Kind, access plan.Access) *loop.Var {
	what := argument{bufferArgument, name}
	if i, ok := a.known[what]; ok && a.list[i].Access != access {
		a.list[i].Access = plan.ReadsWrites
		a.vars[i].T.ReadOnly = false
	}
	t := loop.SliceOf(loop.ScalarOf(k)).In(loop.Global)
	if access == plan.Reads {
		t = t.AsReadOnly()
	}
	return a.param(what, t, plan.Arg{Buffer: name, Access: access})
}

// markAlone marks the parameters of buffers that are only stored to, by elements.
func (a *arguments) markAlone() {
	names := map[string]int{}
	for _, arg := range a.list {
		names[arg.Buffer]++
	}
	for i, arg := range a.list {
		a.vars[i].Alone = arg.Buffer != "" && arg.Access == plan.Writes && names[arg.Buffer] == 1
	}
}

// words returns a buffer as words of kind k, whatever its elements are.
func (a *arguments) words(buffer string, k ir.Kind) *loop.Var {
	return a.param(argument{wordsArgument, buffer + "_words"}, loop.SliceOf(loop.ScalarOf(k)).In(loop.Global),
		plan.Arg{Buffer: buffer, Access: plan.ReadsWrites})
}

// wordsOf is words of one of several kinds.
func (a *arguments) wordsOf(buffer string, k ir.Kind) *loop.Var {
	return a.param(argument{wordsArgument, buffer + "_" + k.String()}, loop.SliceOf(loop.ScalarOf(k)).In(loop.Global),
		plan.Arg{Buffer: buffer, Access: plan.ReadsWrites})
}

// readWords is words of a buffer that is only read.
func (a *arguments) readWords(buffer string, k ir.Kind) *loop.Var {
	return a.param(argument{wordsArgument, buffer + "_" + k.String()}, loop.SliceOf(loop.ScalarOf(k)).In(loop.Global).AsReadOnly(),
		plan.Arg{Buffer: buffer, Access: plan.Reads})
}

// scalar returns a scalar of the plan.
func (a *arguments) scalar(name string, k ir.Kind) *loop.Var {
	return a.param(argument{scalarArgument, name}, loop.ScalarOf(k), plan.Arg{Scalar: name})
}

// scalarOf is scalar, as an expression.
func (a *arguments) scalarOf(name string, k ir.Kind) loop.Expr { return a.scalar(name, k) }

// value returns an expression of the host, as an i64.
func (a *arguments) value(name string, e plan.Expr) *loop.Var {
	return a.param(argument{valueArgument, name}, loop.ScalarOf(ir.I64), plan.Arg{Value: e})
}

// namesOf returns the names that a plan has.
func namesOf(p *plan.Plan) naming.Taken {
	taken := naming.Taken{}
	for _, b := range p.Buffers {
		taken[b.Name] = true
	}
	for _, s := range p.Scalars {
		taken[s.Name] = true
	}
	for _, d := range p.Domains {
		taken[d.Name] = true
	}
	for _, k := range p.Kernels {
		taken[k.Name] = true
	}
	return taken
}

// fresh returns a name that nothing else in the plan has.
func (l *lowering) fresh(name string) string { return l.names.Fresh(name, "_") }

// streamAccess is how the rows of a kernel use a stream.
func streamAccess(s tile.Stream) plan.Access {
	switch {
	case s.Access == tile.Scatter && s.Write:
		return plan.ReadsWrites
	case s.Write:
		return plan.Writes
	}
	return plan.Reads
}
