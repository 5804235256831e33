package simt

import (
	"fmt"

	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/ir/loop"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/tile"
)

// arguments are the parameters of one kernel, made when they are first used.
type arguments struct {
	b      *loop.Builder
	list   []plan.Arg
	byName map[string]*loop.Var
	row0   loop.Expr
	rows   loop.Expr
}

// newArguments begins with what every kernel takes first.
func newArguments(b *loop.Builder) *arguments {
	// To the host they are 64 bits wide; a launch itself has fewer than 2^31 rows.
	row0, rows := b.Param("row0", loop.ScalarOf(ir.I64)), b.Param("rows", loop.ScalarOf(ir.I64))
	return &arguments{b: b, byName: map[string]*loop.Var{}, row0: b.Let("row0", loop.ToCounter(row0)), rows: b.Let("rows", loop.ToCounter(rows))}
}

func (a *arguments) param(name string, t loop.Type, arg plan.Arg) *loop.Var {
	arg.Name = name
	a.list = append(a.list, arg)
	v := a.b.Param(name, t)
	a.byName[name] = v
	return v
}

// buffer returns a buffer of the plan.
func (a *arguments) buffer(name string, k ir.Kind, access plan.Access) *loop.Var {
	if v, ok := a.byName[name]; ok {
		for i := range a.list {
			if l := &a.list[i]; l.Name == name && l.Access != access {
				l.Access = plan.ReadsWrites
				v.T.ReadOnly = false
			}
		}
		return v
	}
	t := loop.SliceOf(loop.ScalarOf(k)).In(loop.Global)
	if access == plan.Reads {
		t = t.AsReadOnly()
	}
	return a.param(name, t, plan.Arg{Buffer: name, Access: access})
}

// words returns a buffer as words of kind k, whatever its elements are.
func (a *arguments) words(buffer string, k ir.Kind) *loop.Var {
	name := buffer + "_words"
	if v, ok := a.byName[name]; ok {
		return v
	}
	return a.param(name, loop.SliceOf(loop.ScalarOf(k)).In(loop.Global), plan.Arg{Buffer: buffer, Access: plan.ReadsWrites})
}

// scalar returns a scalar of the plan.
func (a *arguments) scalar(name string, k ir.Kind) *loop.Var {
	if v, ok := a.byName[name+" value"]; ok {
		return v
	}
	v := a.param(name, loop.ScalarOf(k), plan.Arg{Scalar: name})
	a.byName[name+" value"] = v
	return v
}

// value returns an expression of the host, as an i64.
func (a *arguments) value(name string, e plan.Expr) *loop.Var {
	if v, ok := a.byName[name]; ok {
		return v
	}
	return a.param(name, loop.ScalarOf(ir.I64), plan.Arg{Value: e})
}

// names gives the buffers that lowering adds names that nothing else in the
// plan has.
type names struct{ taken map[string]bool }

func newNames(p *plan.Plan) *names {
	n := &names{map[string]bool{}}
	for _, b := range p.Buffers {
		n.taken[b.Name] = true
	}
	for _, s := range p.Scalars {
		n.taken[s.Name] = true
	}
	for _, d := range p.Domains {
		n.taken[d.Name] = true
	}
	for _, k := range p.Kernels {
		n.taken[k.Name] = true
	}
	return n
}

func (n *names) fresh(name string) string {
	unique := name
	for i := 2; n.taken[unique]; i++ {
		unique = fmt.Sprintf("%s_%d", name, i)
	}
	n.taken[unique] = true
	return unique
}

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
