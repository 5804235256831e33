package plan

import (
	"fmt"
	"maps"
	"slices"
)

// effect is how steps affect the rule that errors are checked before use.
type effect int

const (
	keeps effect = iota // no launch and no check
	dirty               // a launch since the last check
	clean               // a check since the last launch
)

// either is the effect of running one or the other.
func either(a, b effect) effect {
	switch {
	case a == dirty || b == dirty:
		return dirty
	case a == clean && b == clean:
		return clean
	}
	return keeps
}

// then is the effect of running b after a.
func then(a, b effect) effect {
	if b == keeps {
		return a
	}
	return b
}

// state is what holds before a step.
type state struct {
	allocated map[string]bool
	dirty     bool // a launch's errors, or those of the host's scalars, are not checked yet
	deferred  bool // only the abort word has been tested since then
	ended     bool // a Return has run on every path to here
}

func (s state) clone() state {
	s.allocated = maps.Clone(s.allocated)
	return s
}

// join keeps in s what holds on both paths, s and other.
func (s *state) join(other state) {
	switch {
	case other.ended:
		return
	case s.ended:
		*s = other
		return
	}
	maps.DeleteFunc(s.allocated, func(name string, _ bool) bool { return !other.allocated[name] })
	s.dirty = s.dirty || other.dirty
	s.deferred = s.deferred || other.deferred
}

// flow checks the steps in the order they run.
func (v *validator) flow() {
	onHost := func(site Site) bool { return !site.When.IsZero() }
	s := state{allocated: map[string]bool{}, dirty: slices.ContainsFunc(v.p.Sites, onHost)}
	for name, b := range v.buffers {
		if b.Role == Input {
			s.allocated[name] = true
		}
	}
	v.steps("steps", v.p.Steps, &s, false)
	if !s.ended {
		v.report("steps", "there is a path through the steps without a return")
	}
}

// steps checks a list and returns its effect.
func (v *validator) steps(path string, steps []Step, s *state, loop bool) {
	for i := range steps {
		path := fmt.Sprintf("%s[%d]", path, i)
		if s.ended {
			v.report(path, "never runs: a return comes before it")
			return
		}
		v.step(path, &steps[i], s, loop)
	}
}

// Kind returns the JSON key of the step, or "" unless exactly one field is set.
func (s *Step) Kind() string {
	kind, count := "", 0
	for _, field := range [...]struct {
		name string
		set  bool
	}{
		{"init", s.Init != nil}, {"alloc", s.Alloc != nil}, {"launch", s.Launch != nil}, {"read", s.Read != nil},
		{"set", s.Set != nil}, {"if", s.If != nil}, {"while", s.While != nil}, {"parts", s.Parts != nil},
		{"checkErrors", s.CheckErrors != nil}, {"return", s.Return != nil},
	} {
		if field.set {
			kind = field.name
			count++
		}
	}
	if count != 1 {
		return ""
	}
	return kind
}

func (v *validator) step(path string, step *Step, s *state, loop bool) {
	kind := step.Kind()
	if kind == "" {
		v.report(path, "a step is exactly one of init alloc launch read set if while parts checkErrors return")
		return
	}
	path += "." + kind
	switch kind {
	case "init":
		if b := v.target(path, step.Init.Buffer); b != nil {
			v.allocated(path, b.Name, s)
		}
	case "alloc":
		if b := v.target(path, step.Alloc.Buffer); b != nil {
			s.allocated[b.Name] = true
		}
	case "launch":
		v.launch(path, step.Launch, s)
		s.dirty = true
	case "read":
		v.read(path, step.Read, s, loop)
	case "set":
		v.assigned(path+".scalar", step.Set.Scalar)
		v.expr(path+".value", step.Set.Value, anywhere)
		v.changed(step.Set.Scalar, s, loop)
	case "if":
		v.expr(path+".cond", step.If.Cond, deciding)
		otherwise := s.clone()
		v.steps(path+".then", step.If.Then, s, loop)
		v.steps(path+".else", step.If.Else, &otherwise, loop)
		s.join(otherwise)
	case "while":
		v.while(path, step.While, s)
	case "parts":
		v.parts(path, step.Parts, s)
	case "checkErrors":
		for _, b := range []*Buffer{v.errors, v.abort} {
			if b != nil {
				v.allocated(path, b.Name, s)
			}
		}
		s.deferred = step.CheckErrors.AbortOnly && (s.dirty || s.deferred)
		s.dirty = false
	case "return":
		v.end(path, s, loop)
	}
}

// target finds a buffer that a step fills or allocates.
func (v *validator) target(path, name string) *Buffer {
	b := lookup(v, path+".buffer", "buffer", name, v.buffers)
	if b != nil && b.Role == Input {
		v.report(path, "the input %q is never written", name)
		return nil
	}
	return b
}

func (v *validator) allocated(path, name string, s *state) {
	if !s.allocated[name] {
		v.report(path, "the buffer %q is not allocated on every path to this step, or not for the length that it has here", name)
	}
}

// changed notes that a scalar has another value: buffers of which it is the length have to be
// allocated again before they are used. A loop may change one for its next iteration alone.
func (v *validator) changed(scalar string, s *state, loop bool) {
	if loop {
		return
	}
	for _, buffer := range v.sizedBy[scalar] {
		delete(s.allocated, buffer)
	}
}

func (v *validator) assigned(path, name string) {
	if s := lookup(v, path, "scalar", name, v.scalars); s != nil && s.Kind != I64 {
		v.report(path, "the scalar %q is %s; it has to be i64", name, s.Kind)
	}
}

func (v *validator) launch(path string, l *Launch, s *state) {
	v.expr(path+".rows", l.Rows, anywhere)
	v.optional(path+".row0", l.Row0, anywhere)
	if l.Rows.Op == OpConst && (l.Rows.Const < 0 || l.Rows.Const > MaxRows) {
		v.report(path+".rows", "%d; a launch spans 0 to %d rows: use parts", l.Rows.Const, MaxRows)
	}
	bound := index(v, path+".bind", l.Bind, func(a *Arg) string { return a.Name })
	for i := range l.Bind {
		v.arg(fmt.Sprintf("%s.bind[%d]", path, i), &l.Bind[i])
	}
	k := lookup(v, path+".kernel", "kernel", l.Kernel, v.kernels)
	if k == nil {
		return
	}
	for i := range k.Variants {
		args := k.Variants[i].Args
		matched := 0
		for j := range args {
			arg := &args[j]
			if b := bound[arg.Name]; b != nil {
				matched++
				if !v.fits(b, arg) {
					v.report(path+".bind", "%q differs in kind or access from the argument of variant %d that it replaces", b.Name, i)
				}
				arg = b
			}
			if v.buffers[arg.Buffer] != nil {
				v.allocated(path, arg.Buffer, s)
			}
		}
		if matched != len(bound) {
			v.report(path+".bind", "a name in it is no argument of variant %d", i)
		}
	}
}

// fits reports whether a may replace b in a call.
func (v *validator) fits(a, b *Arg) bool { return a.Access == b.Access && v.argKind(a) == v.argKind(b) }

// argKind describes an argument as a kernel sees it.
func (v *validator) argKind(a *Arg) string {
	switch {
	case v.buffers[a.Buffer] != nil:
		return "buffer of " + string(v.buffers[a.Buffer].Kind)
	case v.scalars[a.Scalar] != nil:
		return string(v.scalars[a.Scalar].Kind)
	}
	return string(I64)
}

func (v *validator) read(path string, r *Read, s *state, loop bool) {
	v.optional(path+".index", r.Index, anywhere)
	if len(r.Scalars) == 0 {
		v.report(path+".scalars", "name at least one scalar")
	}
	b := lookup(v, path+".buffer", "buffer", r.Buffer, v.buffers)
	if b != nil {
		v.allocated(path, b.Name, s)
	}
	for i, name := range r.Scalars {
		path := fmt.Sprintf("%s.scalars[%d]", path, i)
		to := lookup(v, path, "scalar", name, v.scalars)
		if to != nil && b != nil && to.Kind != b.Kind && !(to.Kind == I64 && (b.Kind.IsInteger() || b.Kind == Bool)) {
			v.report(path, "the scalar %q is %s and the buffer %q is %s", name, to.Kind, b.Name, b.Kind)
		}
		if s.dirty && v.checks() && v.sizes[name] {
			v.report(path, "%q decides a size, so checkErrors must come after the last launch and before this", name)
		}
		v.changed(name, s, loop)
	}
}

// checks reports whether there is anything to check.
func (v *validator) checks() bool { return len(v.p.Sites) > 0 || v.abort != nil }

func (v *validator) while(path string, w *While, s *state) {
	v.expr(path+".cond", w.Cond, deciding)
	if w.Max < 1 {
		v.report(path+".max", "%d; a loop is bounded by at least 1", w.Max)
	}
	if len(w.Steps) == 0 {
		v.report(path+".steps", "an iteration without steps changes nothing")
	}
	if len(w.Else) == 0 && v.p.Fallback == nil {
		v.report(path, "what happens after %d iterations? give it an else, or the plan a fallback", w.Max)
	}
	body := s.clone()
	body.dirty = body.dirty || effectOf(w.Steps) == dirty
	v.steps(path+".steps", w.Steps, &body, true)
	exhausted := body.clone()
	s.join(body)
	if len(w.Else) > 0 {
		v.steps(path+".else", w.Else, &exhausted, true)
		s.join(exhausted)
	}
}

func (v *validator) parts(path string, p *Parts, s *state) {
	v.expr(path+".len", p.Len, anywhere)
	v.assigned(path+".row0", p.Row0)
	v.assigned(path+".rows", p.Rows)
	if p.Row0 == p.Rows {
		v.report(path, "row0 and rows are two scalars")
	}
	if p.Limit < 0 || p.Limit > MaxRows {
		v.report(path+".limit", "%d; a part spans 1 to %d rows", p.Limit, MaxRows)
	}
	if p.Multiple < 0 || p.Multiple > MaxRows {
		v.report(path+".multiple", "%d; a part spans 1 to %d rows", p.Multiple, MaxRows)
	}
	for i, carry := range p.Carries {
		path := fmt.Sprintf("%s.carries[%d]", path, i)
		in := lookup(v, path+".in", "buffer", carry.In, v.buffers)
		out := lookup(v, path+".out", "buffer", carry.Out, v.buffers)
		if in == nil || out == nil {
			continue
		}
		if in == out || in.Role != Temporary || out.Role != Temporary || in.Kind != out.Kind {
			v.report(path, "a carry is two temporary buffers of one kind")
		}
		v.allocated(path, in.Name, s)
		v.allocated(path, out.Name, s)
	}
	if len(p.Steps) == 0 {
		v.report(path+".steps", "a part needs steps")
	}
	v.changed(p.Row0, s, false)
	v.changed(p.Rows, s, false)
	s.dirty = s.dirty || effectOf(p.Steps) == dirty
	v.steps(path+".steps", p.Steps, s, true)
}

func (v *validator) end(path string, s *state, loop bool) {
	if loop {
		v.report(path, "a return must be outside loops and parts")
	}
	for i := range v.p.Ports {
		if port := &v.p.Ports[i]; port.Direction == Out && v.buffers[port.Buffer] != nil {
			v.allocated(path, port.Buffer, s)
		}
	}
	if (s.dirty || s.deferred) && v.checks() {
		v.report(path, "checkErrors must come after the last launch and before this")
	}
	s.ended = true
}

// effectOf returns the effect of a list of steps.
func effectOf(steps []Step) effect {
	all := keeps
	for i := range steps {
		one := keeps
		switch s := &steps[i]; {
		case s.Launch != nil:
			one = dirty
		case s.CheckErrors != nil:
			one = clean
		case s.If != nil:
			one = either(effectOf(s.If.Then), effectOf(s.If.Else))
		case s.While != nil:
			body := effectOf(s.While.Steps)
			one = either(keeps, body)
			if len(s.While.Else) > 0 {
				one = either(one, then(body, effectOf(s.While.Else)))
			}
		case s.Parts != nil:
			one = effectOf(s.Parts.Steps)
		}
		all = then(all, one)
	}
	return all
}
