package exec

import (
	"fmt"
	"math"

	"github.com/kgen-go/kgen/plan"
)

// steps runs a list until its end or a return.
func (r *run) steps(steps []plan.Step) error {
	for i := range steps {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if err := r.readAhead(steps[i:]); err != nil {
			return err
		}
		if err := r.step(&steps[i]); err != nil || r.result != nil {
			return err
		}
	}
	return nil
}

func (r *run) step(s *plan.Step) error {
	switch {
	case s.Init != nil:
		return r.init(s.Init)
	case s.Alloc != nil:
		return r.alloc(s.Alloc)
	case s.Launch != nil:
		return r.launch(s.Launch)
	case s.Read != nil:
		return r.read(s.Read)
	case s.Set != nil:
		v, err := r.eval(s.Set.Value, nil)
		if err != nil {
			return fmt.Errorf("set %q: %w", s.Set.Scalar, err)
		}
		r.scalars[s.Set.Scalar] = Value{plan.I64, uint64(v)}
		return nil
	case s.If != nil:
		then, err := r.holds(s.If.Cond)
		if err != nil {
			return err
		}
		if then {
			return r.steps(s.If.Then)
		}
		return r.steps(s.If.Else)
	case s.While != nil:
		return r.while(s.While)
	case s.Parts != nil:
		return r.parts(s.Parts)
	case s.CheckErrors != nil:
		return r.checkErrors(s.CheckErrors)
	case s.Return != nil:
		return r.finish()
	}
	return fmt.Errorf("exec: a step without content")
}

func (r *run) init(s *plan.Init) error {
	start := r.now()
	b, a := r.buffers[s.Buffer], r.store.buffers[s.Buffer]
	if a.length > 0 {
		if err := r.device.Fill(a.memory, r.fills[s.Buffer], a.length); err != nil {
			return fmt.Errorf("init of buffer %q: %w", b.Name, err)
		}
	}
	return r.report(Event{Step: "init", Name: b.Name, Rows: a.length, Bytes: a.bytes}, start)
}

func (r *run) alloc(s *plan.Alloc) error {
	start := r.now()
	b := r.buffers[s.Buffer]
	length, err := r.eval(b.Length, nil)
	if err != nil {
		return fmt.Errorf("length of buffer %q: %w", b.Name, err)
	}
	a, err := r.store.add(b, length, nil)
	if err != nil {
		return err
	}
	return r.report(Event{Step: "alloc", Name: b.Name, Rows: a.length, Bytes: a.bytes}, start)
}

func (r *run) launch(s *plan.Launch) error {
	call, err := r.call(s)
	if err != nil {
		return fmt.Errorf("kernel %q: %w", s.Kernel, err)
	}
	if call.Workgroups == 0 {
		return nil
	}
	if call.Variant.Forward == plan.ForwardResident {
		resident, err := r.outside.Resident(s.Kernel)
		if err != nil {
			return err
		}
		if call.Workgroups > resident {
			return r.giveUp("kernel %q needs %d work-groups at once; the device runs %d", s.Kernel, call.Workgroups, resident)
		}
	}
	if limit := call.Variant.GridLimit; limit > 0 && call.Workgroups > limit {
		return r.giveUp("kernel %q would take %d work-groups, and is made for at most %d", s.Kernel, call.Workgroups, limit)
	}
	start := r.now()
	if err := r.device.Launch(r.ctx, call); err != nil {
		return fmt.Errorf("kernel %q over %d rows: %w", s.Kernel, call.Rows, err)
	}
	return r.report(Event{Step: "launch", Name: s.Kernel, Workgroups: call.Workgroups, Rows: call.Rows}, start)
}

// call evaluates the expressions of a launch.
func (r *run) call(s *plan.Launch) (*Launch, error) {
	variant, err := r.variant(s.Kernel)
	if err != nil {
		return nil, err
	}
	call := r.launches[s]
	if call == nil {
		call = &Launch{Kernel: r.kernels[s.Kernel]}
		r.launches[s] = call
	}
	call.Variant, call.Spec, call.Args = variant, call.Spec[:0], call.Args[:0]
	if call.Rows, err = r.eval(s.Rows, nil); err != nil {
		return nil, err
	}
	if call.Row0, err = r.evalOr(s.Row0, 0, nil); err != nil {
		return nil, err
	}
	if call.Rows < 0 || call.Rows > plan.MaxRows || call.Row0 < 0 {
		return nil, fmt.Errorf("%d rows from row %d on; a launch spans 0 to %d rows, and more take a plan in parts, as kgen emit --schedule part=%d makes", call.Rows, call.Row0, plan.MaxRows, plan.PartRows)
	}
	if tile := variant.Schedule.Rows(); variant.Grid.IsZero() && tile > 0 {
		call.Workgroups = (call.Rows + tile - 1) / tile
	} else if call.Workgroups, err = r.eval(variant.Grid, &call.Rows); err != nil {
		return nil, err
	}
	if call.Workgroups < 0 || call.Workgroups > math.MaxInt32 {
		return nil, fmt.Errorf("a grid of %d work-groups; there may be 0 to %d", call.Workgroups, math.MaxInt32)
	}
	if call.Local, err = r.evalOr(variant.LocalBytes, 0, nil); err != nil {
		return nil, err
	}
	for _, spec := range variant.Spec {
		value, err := r.eval(spec.Value, nil)
		if err != nil {
			return nil, err
		}
		call.Spec = append(call.Spec, value)
	}
	for i := range variant.Args {
		arg, err := r.arg(bound(&variant.Args[i], s.Bind), &call.Rows)
		if err != nil {
			return nil, err
		}
		call.Args = append(call.Args, arg)
	}
	return call, nil
}

// bound returns the argument that replaces a in a launch with these bindings.
func bound(a *plan.Arg, bind []plan.Arg) *plan.Arg {
	for i := range bind {
		if bind[i].Name == a.Name {
			return &bind[i]
		}
	}
	return a
}

func (r *run) arg(a *plan.Arg, rows *int64) (Arg, error) {
	switch {
	case a.Buffer != "":
		memory := r.store.buffers[a.Buffer]
		role := r.buffers[a.Buffer].Role
		return Arg{Memory: memory.memory, Length: memory.length, Reports: role == plan.Errors || role == plan.Abort}, nil
	case a.Scalar != "":
		return Arg{Value: r.scalars[a.Scalar]}, nil
	}
	v, err := r.eval(a.Value, rows)
	if err != nil {
		return Arg{}, fmt.Errorf("argument %q: %w", a.Name, err)
	}
	return Arg{Value: Value{plan.I64, uint64(v)}}, nil
}

func (r *run) read(s *plan.Read) error {
	start := r.now()
	b, a := r.buffers[s.Buffer], r.store.buffers[s.Buffer]
	index, err := r.evalOr(s.Index, 0, nil)
	if err != nil {
		return err
	}
	count := int64(len(s.Scalars))
	if index < 0 || index > a.length-count {
		return fmt.Errorf("read of %d elements from %d on of buffer %q, which has %d", count, index, b.Name, a.length)
	}
	elements, err := r.fetch(s.Buffer, index, count)
	if err != nil {
		return err
	}
	size := b.Kind.Size()
	for i, name := range s.Scalars {
		v := Value{b.Kind, decode(b.Kind, elements[i*size:])}
		if r.scalars[name].Kind != b.Kind { // i64 from another integer
			wide, err := toInt64(v)
			if err != nil {
				return fmt.Errorf("read of buffer %q: %w", b.Name, err)
			}
			v = Value{plan.I64, uint64(wide)}
		}
		r.scalars[name] = v
	}
	return r.report(Event{Step: "read", Name: b.Name, Rows: count, Bytes: int64(len(elements))}, start)
}

// fetch copies elements of a buffer to the host.
func (r *run) fetch(buffer string, index, count int64) ([]byte, error) {
	size := int64(r.buffers[buffer].Kind.Size())
	if ahead := r.ahead.find(reading{buffer, index, count}); ahead != nil {
		return ahead, nil
	}
	to := alignedBytes(count * size)
	return to, r.fetchTo(to, buffer, index*size)
}

func (r *run) fetchTo(to []byte, buffer string, offset int64) error {
	if len(to) == 0 {
		return nil
	}
	if err := r.device.Read(r.store.buffers[buffer].memory, offset, to); err != nil {
		return fmt.Errorf("read of buffer %q: %w", buffer, err)
	}
	return nil
}

func (r *run) while(s *plan.While) error {
	for round := int64(0); ; round++ {
		again, err := r.holds(s.Cond)
		if err != nil || !again {
			return err
		}
		if round == s.Max {
			break
		}
		if err := r.steps(s.Steps); err != nil {
			return err
		}
	}
	if len(s.Else) == 0 {
		return r.giveUp("%s still holds after %d rounds", s.Cond, s.Max)
	}
	return r.steps(s.Else)
}

func (r *run) parts(s *plan.Parts) error {
	length, err := r.eval(s.Len, nil)
	if err != nil {
		return err
	}
	most := int64(plan.MaxRows)
	if r.options.PartRows > 0 {
		most = r.options.PartRows
	}
	limit := s.PartRows(most)
	row0 := int64(0)
	for {
		rows := min(length-row0, limit)
		r.scalars[s.Row0] = Value{plan.I64, uint64(row0)}
		r.scalars[s.Rows] = Value{plan.I64, uint64(rows)}
		if err := r.steps(s.Steps); err != nil {
			return err
		}
		for _, carry := range s.Carries {
			b := r.store.buffers
			b[carry.In], b[carry.Out] = b[carry.Out], b[carry.In]
		}
		r.ahead.forget() // its names are those of before
		row0 += rows
		if row0 >= length {
			return nil
		}
	}
}

// checkErrors gives up if a kernel has given up, and otherwise ends the run with
// the lowest failed site. The abort word comes first, because the row numbers of a
// kernel that gave up may be wrong.
func (r *run) checkErrors(s *plan.CheckErrors) error {
	start := r.now()
	var words []byte
	var kind plan.Kind
	for i := range r.plan.Buffers {
		b := &r.plan.Buffers[i]
		switch b.Role {
		case plan.Abort:
			word, err := r.fetch(b.Name, 0, 1)
			if err != nil {
				return err
			}
			if decode(b.Kind, word) != 0 {
				return r.giveUp("a kernel waited too long for another work-group, a check failed in a row whose number it does not know, or lanes were not served in their order")
			}
		case plan.Errors:
			if s.AbortOnly {
				continue
			}
			var err error
			if words, err = r.fetch(b.Name, 0, int64(len(r.plan.Sites))); err != nil {
				return err
			}
			kind = b.Kind
		}
	}
	if s.AbortOnly {
		return r.report(Event{Step: "checkErrors"}, start)
	}
	for i := range r.plan.Sites {
		site := &r.plan.Sites[i]
		if site.When.IsZero() {
			if row := decode(kind, words[i*kind.Size():]); row != kind.NoRow() {
				return &CheckError{*site, int64(row)}
			}
			continue
		}
		failed, err := r.holds(site.When)
		if err != nil {
			return err
		}
		if failed {
			return &CheckError{Site: *site}
		}
	}
	return r.report(Event{Step: "checkErrors", Rows: int64(len(r.plan.Sites)), Bytes: int64(len(words))}, start)
}
