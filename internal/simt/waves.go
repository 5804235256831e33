package simt

import (
	"slices"

	"github.com/kgen-go/kgen/plan"
)

// To read a scalar, the host waits for the device, which then waits for the host. So kernels that
// do not need what is read run before, and what several kernels tell is read at once: tables of
// several columns, say, are made side by side, and not one after the other.

// inWaves returns the steps of a plan in an order in which the host waits as seldom as it can: what
// is read is read when nothing else can be done. If that saves no wait, they are as they were.
func inWaves(p *plan.Plan, steps []plan.Step) []plan.Step {
	var list []plan.Step
	for len(steps) > 0 {
		n := 0
		for n < len(steps) && isMovable(steps, n) {
			n++
		}
		if part := steps[:n]; n > 0 {
			if ordered := waves(p, part); waits(ordered) < waits(part) {
				part = ordered
			}
			list = append(list, part...)
		}
		if n < len(steps) {
			list = append(list, steps[n])
			n++
		}
		steps = steps[n:]
	}
	return list
}

// isMovable reports whether step i has no other meaning than what it reads and writes. A check is
// of the reads behind it; if there are none, it guards what comes next.
func isMovable(steps []plan.Step, i int) bool {
	s := &steps[i]
	if s.CheckErrors != nil {
		return s.CheckErrors.AbortOnly && i+1 < len(steps) && steps[i+1].Read != nil
	}
	return s.Alloc != nil || s.Init != nil || s.Launch != nil || s.Set != nil || s.Read != nil
}

// waits returns how often steps wait for the device.
func waits(steps []plan.Step) (n int) {
	wasRead := false
	for i := range steps {
		isRead := steps[i].Read != nil
		if isRead && !wasRead {
			n++
		}
		wasRead = isRead || wasRead && steps[i].CheckErrors != nil
	}
	return n
}

// waves orders steps.
func waves(p *plan.Plan, steps []plan.Step) []plan.Step {
	steps = slices.DeleteFunc(slices.Clone(steps), func(s plan.Step) bool { return s.CheckErrors != nil })
	touched := make([]touches, len(steps))
	for i := range steps {
		touched[i] = touchesOf(p, &steps[i])
	}
	var list []plan.Step
	isDone := make([]bool, len(steps))
	emit := func(choose func(*plan.Step) bool) (found bool) {
		for i := range steps {
			if isDone[i] || !choose(&steps[i]) {
				continue
			}
			waits := false
			for j := range i {
				waits = waits || !isDone[j] && touched[i].follows(touched[j])
			}
			if !waits {
				isDone[i], found, list = true, true, append(list, steps[i])
			}
		}
		return found
	}
	prepares := func(s *plan.Step) bool { return s.Launch == nil && s.Read == nil }
	launches := func(s *plan.Step) bool { return s.Launch != nil }
	reads := func(s *plan.Step) bool { return s.Read != nil }
	for slices.Contains(isDone, false) {
		if emit(prepares) || emit(launches) {
			continue
		}
		list = append(list, plan.Step{CheckErrors: &plan.CheckErrors{AbortOnly: true}})
		emit(reads)
	}
	return list
}

// touches are the names of what a step reads and writes: buffers, and scalars behind a point.
type touches struct{ reads, writes map[string]bool }

// follows reports whether a step has to stay behind an earlier one.
func (t touches) follows(earlier touches) bool {
	for name := range t.writes {
		if earlier.reads[name] || earlier.writes[name] {
			return true
		}
	}
	for name := range t.reads {
		if earlier.writes[name] {
			return true
		}
	}
	return false
}

func touchesOf(p *plan.Plan, s *plan.Step) touches {
	t := touches{map[string]bool{}, map[string]bool{}}
	var expr func(e plan.Expr)
	expr = func(e plan.Expr) {
		switch e.Op {
		case plan.OpScalar:
			t.reads["."+e.Name] = true
		case plan.OpLen:
			i := slices.IndexFunc(p.Domains, func(d plan.Domain) bool { return d.Name == e.Name })
			expr(p.Domains[i].Len)
		}
		for _, x := range e.Args {
			expr(x)
		}
	}
	switch {
	case s.Alloc != nil:
		i := slices.IndexFunc(p.Buffers, func(b plan.Buffer) bool { return b.Name == s.Alloc.Buffer })
		expr(p.Buffers[i].Length)
		t.writes[s.Alloc.Buffer] = true
	case s.Init != nil:
		t.writes[s.Init.Buffer] = true
	case s.Set != nil:
		expr(s.Set.Value)
		t.writes["."+s.Set.Scalar] = true
	case s.Read != nil:
		expr(s.Read.Index)
		t.reads[s.Read.Buffer] = true
		for _, name := range s.Read.Scalars {
			t.writes["."+name] = true
		}
	case s.Launch != nil:
		expr(s.Launch.Rows)
		expr(s.Launch.Row0)
		i := slices.IndexFunc(p.Kernels, func(k plan.Kernel) bool { return k.Name == s.Launch.Kernel })
		for _, v := range p.Kernels[i].Variants {
			expr(v.Grid)
			expr(v.LocalBytes)
			for _, spec := range v.Spec {
				expr(spec.Value)
			}
			t.arguments(p, v.Args, s.Launch.Bind, expr)
		}
	}
	return t
}

// arguments adds those of a launch. Checks, and kernels that give up, leave word in any order.
func (t touches) arguments(p *plan.Plan, args, bind []plan.Arg, expr func(plan.Expr)) {
	for _, a := range args {
		if i := slices.IndexFunc(bind, func(b plan.Arg) bool { return b.Name == a.Name }); i >= 0 {
			a = bind[i]
		}
		expr(a.Value)
		if a.Scalar != "" {
			t.reads["."+a.Scalar] = true
		}
		if a.Buffer == "" {
			continue
		}
		i := slices.IndexFunc(p.Buffers, func(b plan.Buffer) bool { return b.Name == a.Buffer })
		switch role := p.Buffers[i].Role; {
		case a.Access == plan.Reads || role == plan.Errors || role == plan.Abort:
			t.reads[a.Buffer] = true
		default:
			t.writes[a.Buffer] = true
		}
	}
}
