package gocpu

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// launched is a launch of the plan: the body of Func has the statements of the
// host function, and functions are those that they call. The results of Func are
// the scalars that the launch computes for later steps.
type launched struct {
	*loop.Func
	functions []*loop.Func
	grown     []string // the buffers whose length it decides
}

// lower lowers all launches to statements. Then, from the last launch to the
// first, it removes the computation of scalars that nothing reads, because Go
// refuses unused variables. A step may name a scalar and not depend on it.
func (h *host) lower() {
	h.lowerSteps(h.plan.Steps, false)
	read := h.read
	for _, x := range h.hostReads() {
		markVars(x, read)
	}
	for buffer, v := range h.env.grown {
		if h.isTemporary(buffer) { // scratch keeps it
			read[v] = true
		}
	}
	for _, l := range slices.Backward(h.launches) {
		h.markHanded(read)
		l.Results = slices.DeleteFunc(l.Results, func(x loop.Expr) bool { return !anyVar(x, read) })
		loop.RemoveUnread(l.Func)
		for v := range loop.Reads(l.Func) {
			read[v] = true
		}
	}
}

// lowerSteps lowers the launches of some steps: of a branch, or of all.
func (h *host) lowerSteps(steps []plan.Step, inBranch bool) {
	last := -1
	for i, step := range steps {
		if step.Launch != nil || step.If != nil {
			last = i
		}
	}
	for i, step := range steps {
		switch {
		case step.Alloc != nil:
			h.declareBuffer(h.bufferNamed(step.Alloc.Buffer))
		case step.Set != nil:
			h.env.scalars[step.Set.Scalar] = loop.ToKind(ir.I64, h.counter(step.Set.Value))
		case step.Launch != nil:
			h.env.final = i == last && !inBranch
			h.launches = append(h.launches, h.lowerLaunch(step.Launch))
		case step.If != nil:
			h.lowerBranches(step.If)
		}
	}
}

// hostReads returns the expressions that the function computes outside of
// launches.
func (h *host) hostReads() (list []loop.Expr) {
	var reads func(steps []plan.Step)
	reads = func(steps []plan.Step) {
		for _, step := range steps {
			switch {
			case step.Alloc != nil:
				b := h.bufferNamed(step.Alloc.Buffer)
				list = append(list, h.counter(h.lengthOf(b)))
				for _, d := range h.unlimited(b) {
					list = append(list, h.counter(d.Bound))
				}
			case step.If != nil:
				list = append(list, h.counter(step.If.Cond))
				h.inBranches(step.If, func(steps []plan.Step, _ *branch) { reads(steps) })
			}
		}
	}
	reads(h.plan.Steps)
	clear(h.limited) // what is written is limited anew
	for _, site := range h.plan.Sites {
		if !site.When.IsZero() && (!h.inner || len(h.checks) > 0) {
			list = append(list, h.counter(site.When))
		}
	}
	for _, port := range h.plan.Ports {
		switch {
		case port.Direction != plan.Out:
		case port.Buffer == "":
			list = append(list, h.scalarOf(port))
		case !h.isInput(port.Buffer):
			list = append(list, h.length(port.Domain), h.env.buffers[port.Buffer])
		}
	}
	return list
}

func markVars(x loop.Expr, vars map[*loop.Var]bool) {
	loop.WalkExpr(x, func(x loop.Expr) {
		if v, ok := x.(*loop.Var); ok {
			vars[v] = true
		}
	})
}

func anyVar(x loop.Expr, vars map[*loop.Var]bool) (found bool) {
	loop.WalkExpr(x, func(x loop.Expr) {
		if v, ok := x.(*loop.Var); ok && vars[v] {
			found = true
		}
	})
	return found
}

// lowerLaunch lowers a launch to statements.
func (h *host) lowerLaunch(launch *plan.Launch) *launched {
	k := h.lowered[launch.Kernel]
	if k == nil {
		index := slices.IndexFunc(h.plan.Kernels, func(k plan.Kernel) bool { return k.Name == launch.Kernel })
		k = newKernel(h.program.Kernels[index], backends.SourceLines(h.program.Source), h.plan, h.simd)
		h.lowered[launch.Kernel] = k
	}
	env := h.env
	if len(launch.Bind) > 0 {
		env.buffers = maps.Clone(env.buffers)
		for _, arg := range launch.Bind {
			env.buffers[arg.Name] = h.env.buffers[arg.Buffer]
		}
	}
	known := maps.Clone(h.env.scalars)
	h.addLengths(k)
	b := loop.NewBuilder("launch")
	l := &launched{}
	for _, f := range k.drive(b, env, h.counter(launch.Rows)) {
		if vectors := k.vectors[f.Name]; vectors != nil {
			l.functions = append(l.functions, vectors)
		}
		l.functions = append(l.functions, f)
	}
	var made []loop.Expr
	for _, op := range k.Ops {
		if x, ok := h.env.scalars[op.Ref]; ok && op.HasEffect() && op.Ref != "" && x != known[op.Ref] {
			made = append(made, x)
		}
	}
	for _, s := range k.Streams {
		if v := h.env.grown[s.Buffer]; v != nil && s.Write {
			made = append(made, v, h.env.buffers[s.Buffer])
			l.grown = append(l.grown, s.Buffer)
		}
	}
	l.Func = b.Func(made...)
	h.verify(l.functions)
	h.loops.Funcs = append(h.loops.Funcs, l.functions...)
	return l
}

// smallBuffers returns the lengths of buffers that have few elements for sure, so that each worker can have a copy.
func smallBuffers(p *plan.Plan) map[string]int64 {
	small := map[string]int64{}
	for _, b := range p.Buffers {
		if length, ok := p.Constant(b.Length); ok && length <= ownTable {
			small[b.Name] = length
		}
	}
	return small
}

// verify verifies lowered functions, which may call each other.
func (h *host) verify(functions []*loop.Func) {
	if err := loop.Verify(&loop.Program{Name: h.entry.Func, Funcs: functions}, loop.Cores); err != nil {
		h.fault = fmt.Errorf("pipeline %s: internal error after lowering to loops: %w", h.program.Pipeline.Name, err)
	}
}

// addLengths adds the lengths that k reads to the scalars.
func (h *host) addLengths(k *kernel) {
	for _, d := range h.plan.Domains {
		isRead := d.Name == k.Domains[0].Plan
		for i := range k.Ops {
			isRead = isRead || refKey(&k.Ops[i]) == lengthKey(d.Name)
		}
		if _, known := h.env.scalars[lengthKey(d.Name)]; isRead && !known {
			h.env.scalars[lengthKey(d.Name)] = loop.ToKind(ir.I64, h.length(d.Name))
		}
	}
}
