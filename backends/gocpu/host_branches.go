package gocpu

import (
	"maps"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/plan"
)

// branch is one of the two branches of a step. What it makes has variables of its own,
// because goroutines may share only what is assigned once. At its end they are assigned
// to variables from outside, which are copied after both branches.
type branch struct {
	buffers map[string]*loop.Var // as the branch sees them
	scalars map[string]loop.Expr
	exports []export
}

// export is what a branch hands on.
type export struct {
	inner loop.Expr
	outer *loop.Var // declared before the branches
	copy  *loop.Var // what comes after them reads
}

// markHanded marks what branches compute for statements behind them that read that, which may
// be what other branches hand on.
func (h *host) markHanded(read map[*loop.Var]bool) {
	for marked := -1; marked < len(read); {
		marked = len(read)
		for _, both := range h.branches {
			for _, e := range slices.Concat(both[0].exports, both[1].exports) {
				if read[e.copy] {
					markVars(e.inner, read)
				}
			}
		}
	}
}

// lowerBranches lowers the launches of both branches of a step.
func (h *host) lowerBranches(step *plan.If) {
	made := &[2]branch{}
	h.branches[step] = made
	buffers, scalars := h.env.buffers, h.env.scalars
	for i, steps := range [2][]plan.Step{step.Then, step.Else} {
		h.env.buffers, h.env.scalars = maps.Clone(buffers), maps.Clone(scalars)
		h.lowerSteps(steps, true)
		made[i].buffers, made[i].scalars = h.env.buffers, h.env.scalars
	}
	h.env.buffers, h.env.scalars = buffers, scalars
	for _, b := range h.plan.Buffers {
		of := func(known map[string]*loop.Var) loop.Expr {
			if v := known[b.Name]; v != nil {
				return v
			}
			return nil
		}
		if after := handOn(made, b.Name, of(buffers), of(made[0].buffers), of(made[1].buffers)); after != nil {
			h.env.buffers[b.Name] = after
		}
	}
	for _, s := range h.plan.Scalars {
		if after := handOn(made, s.Name, scalars[s.Name], made[0].scalars[s.Name], made[1].scalars[s.Name]); after != nil {
			h.env.scalars[s.Name] = after
		}
	}
}

// handOn has both branches hand on what each of them sees as a buffer or scalar, if one has changed it, and returns
// what comes after them in its place, or nil.
func handOn(made *[2]branch, name string, before loop.Expr, seen ...loop.Expr) (after *loop.Var) {
	changed := slices.IndexFunc(seen, func(x loop.Expr) bool { return x != nil && x != before })
	if changed < 0 {
		return nil
	}
	t := seen[changed].Type()
	outer := &loop.Var{Name: name, T: t}
	after = &loop.Var{Name: name, T: t}
	for i, x := range seen {
		if x != nil { // of what nobody has set, there is nothing to hand on
			made[i].exports = append(made[i].exports, export{x, outer, after})
		}
	}
	return after
}

// inBranches calls body for the steps of both branches, as they see buffers and scalars, and what
// has been limited before them.
func (h *host) inBranches(step *plan.If, body func(steps []plan.Step, of *branch)) {
	buffers, scalars, positive, limited := h.env.buffers, h.env.scalars, h.positive, h.limited
	for i, steps := range [2][]plan.Step{step.Then, step.Else} {
		of := &h.branches[step][i]
		h.env.buffers, h.env.scalars, h.limited = of.buffers, of.scalars, maps.Clone(limited)
		if c := step.Cond; c.Op == plan.OpLt && c.Args[0].Op == plan.OpConst && c.Args[0].Const == 0 && c.Args[1].Op == plan.OpScalar {
			h.positive = maps.Clone(positive)
			h.positive[c.Args[1].Name] = i == 0
		}
		body(steps, of)
	}
	h.env.buffers, h.env.scalars, h.positive, h.limited = buffers, scalars, positive, limited
}

// launchesOf returns how many launches some steps have.
func launchesOf(steps []plan.Step) (n int) {
	plan.WalkSteps(steps, func(step *plan.Step) {
		if step.Launch != nil {
			n++
		}
	})
	return n
}

// choose writes the branches of a step, and reports whether any uses workers.
func (h *host) choose(step *plan.If, launches []*launched) (splits bool) {
	h.requireMemory()
	condition := h.expr(h.counter(step.Cond)).code
	var handed []export
	for _, of := range h.branches[step] {
		for _, e := range of.exports {
			isKnown := slices.ContainsFunc(handed, func(other export) bool { return other.outer == e.outer })
			if h.read[e.copy] && !isKnown {
				handed = append(handed, e)
				h.add(jen.Var().Id(h.names.Declare(e.outer)).Add(goType(e.outer.T)))
			}
		}
	}
	var code [2][]jen.Code
	number := 0
	h.inBranches(step, func(steps []plan.Step, of *branch) {
		outer := h.body
		h.body = nil
		h.names.Push()
		splits = h.writeSteps(steps, launches) || splits
		launches = launches[launchesOf(steps):]
		h.requireMemory()
		for _, e := range of.exports {
			if h.read[e.copy] {
				name, _ := h.names.Of(e.outer)
				h.add(jen.Id(name).Op("=").Add(h.expr(e.inner).code))
			}
		}
		code[number] = h.body
		number++
		h.names.Pop()
		h.body = outer
	})
	chosen := jen.If(condition).Block(code[0]...)
	if len(code[1]) > 0 {
		chosen = chosen.Else().Block(code[1]...)
	}
	h.add(chosen)
	for _, e := range handed {
		name, _ := h.names.Of(e.outer)
		h.add(jen.Id(h.names.Declare(e.copy)).Op(":=").Id(name))
	}
	return splits
}
