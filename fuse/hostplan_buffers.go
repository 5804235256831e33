package fuse

import (
	"slices"
	"strconv"
	"time"

	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// addBuffer adds the buffer of w, which the kernel of some stages writes, and allocates
// it. With made, the kernel itself makes the rows of w's domain.
func (m *planner) addBuffer(stages []*Stage, w *Value, made bool) {
	isEarly := stages[0].way != nil && m.isShared[w.Name] // before the rows are made
	b := plan.Buffer{Name: w.Name, Kind: plan.Kind(w.Type.String()), Role: plan.Temporary, Length: m.length(w, made || isEarly || w.Writer.Kind == Either)}
	if m.outputs[w] {
		b.Role = plan.Output
	}
	if w.Fill.Kind != ir.Invalid {
		b.Fill = literal(w.Fill)
	}
	m.out.Buffers = append(m.out.Buffers, b)
	m.allocate(stages, w.Name)
}

// allocate allocates a buffer for the kernel of some stages: before the condition of
// their way is tested if kernels use the buffer that do not run under the same test.
func (m *planner) allocate(stages []*Stage, buffer string) {
	if m.isSizedByWay(m.byName[buffer]) {
		m.sizedByWay = append(m.sizedByWay, buffer)
		return
	}
	list, at := m.stepsOf(stages), 0
	if stages[0].way != nil && m.isShared[buffer] {
		list, at = &m.out.Steps, 1
	}
	*list = slices.Insert(*list, len(*list)-at, plan.Step{Alloc: &plan.Alloc{Buffer: buffer}})
}

// isSizedByWay reports whether kernels use w under more than one test of a condition, or
// of both ways, and one of the ways reads how many rows it has.
func (m *planner) isSizedByWay(w *Value) bool {
	if w.Domain == nil || !m.isShared[w.Name] {
		return false
	}
	from := []*ir.Domain{w.Domain}
	if made, ok := m.sources[w.Domain]; ok {
		from = made[:]
	}
	return slices.ContainsFunc(from, func(d *ir.Domain) bool {
		length := m.writer[key{kind: Lengths, of: d}]
		return isSized(d) && length != nil && length.Writer.way != nil
	})
}

// allocateByWay allocates the buffers that each way has to size: where kernels of the
// way use it, or at the end of those.
func (m *planner) allocateByWay(p *Program) {
	uses := map[string]map[string]bool{}
	for _, k := range p.Kernels {
		uses[k.Name] = map[string]bool{}
		for _, s := range k.Streams {
			uses[k.Name][s.Buffer] = true
		}
	}
	for _, buffer := range m.sizedByWay {
		isBound := func(l *plan.Launch) bool {
			isReplaced := slices.ContainsFunc(l.Bind, func(arg plan.Arg) bool { return arg.Name == buffer })
			return uses[l.Kernel][buffer] && !isReplaced || slices.ContainsFunc(l.Bind, func(arg plan.Arg) bool { return arg.Buffer == buffer })
		}
		var isUse func(s plan.Step) bool
		isUse = func(s plan.Step) bool {
			return s.Init != nil && s.Init.Buffer == buffer || s.Launch != nil && isBound(s.Launch) ||
				s.If != nil && (slices.ContainsFunc(s.If.Then, isUse) || slices.ContainsFunc(s.If.Else, isUse))
		}
		i := slices.IndexFunc(m.out.Steps, isUse)
		choice := m.out.Steps[i].If
		if choice == nil { // of rows that are made in any case
			m.out.Steps = slices.Insert(m.out.Steps, i, plan.Step{Alloc: &plan.Alloc{Buffer: buffer}})
			continue
		}
		for _, list := range []*[]plan.Step{&choice.Then, &choice.Else} {
			at := slices.IndexFunc(*list, isUse)
			if at < 0 {
				at = len(*list)
			}
			*list = slices.Insert(*list, at, plan.Step{Alloc: &plan.Alloc{Buffer: buffer}})
		}
	}
}

// length returns how many elements the buffer of w must hold when its kernel is
// launched: a domain made by the kernel itself has no length yet, only a bound.
func (m *planner) length(w *Value, made bool) plan.Expr {
	length := plan.Len(m.DomainName(w.Domain))
	if made {
		length = m.bound(w.Domain)
	}
	if w.Chunks {
		length = plan.CeilDiv(length, plan.Const(ChunkRows))
	}
	return length
}

// literal writes s as the plan does.
func literal(s ir.Scalar) plan.Literal {
	switch {
	case s.Kind == ir.Bool:
		return plan.Literal(strconv.FormatBool(s.IsTrue()))
	case s.Kind == ir.F32:
		return plan.Literal(strconv.FormatFloat(s.Float64(), 'g', -1, 32))
	case s.Kind == ir.F64:
		return plan.Literal(strconv.FormatFloat(s.Float64(), 'g', -1, 64))
	case s.Kind == ir.Date:
		return plan.Literal(day(s.Int64()))
	case s.Kind == ir.Char8:
		b := s.Bytes()
		return plan.Literal(strconv.Quote(string(b[:])))
	case s.Kind.IsUnsigned():
		return plan.Literal(strconv.FormatUint(s.Bits, 10))
	}
	return plan.Literal(strconv.FormatInt(s.Int64(), 10))
}

// day writes a number of days since 1970-01-01 as a date, or as the number if the
// year does not have four digits.
func day(days int64) string {
	date := time.Unix(days*24*60*60, 0).UTC()
	if date.Year() < 1 || date.Year() > 9999 {
		return strconv.FormatInt(days, 10)
	}
	return date.Format(time.DateOnly)
}
