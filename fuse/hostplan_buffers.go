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
	isEarly := m.isEarly(stages, w.Name) // before the rows are made
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

// isEarly reports whether a buffer that the kernel of some stages writes is there before a
// condition of theirs is tested.
func (m *planner) isEarly(stages []*Stage, buffer string) bool {
	return len(m.scopes[buffer]) < len(stages[0].ways)
}

// allocate allocates a buffer for the kernel of some stages: in the branches that have all
// kernels which use the buffer.
func (m *planner) allocate(stages []*Stage, buffer string) {
	list, at := m.stepsOf(stages), 0
	if m.isEarly(stages, buffer) {
		list, at = m.stepsAt(len(m.scopes[buffer])), 1
	}
	if m.isSizedByWay(m.byName[buffer]) {
		m.sizedByWay = append(m.sizedByWay, sized{buffer, list})
		return
	}
	*list = slices.Insert(*list, len(*list)-at, plan.Step{Alloc: &plan.Alloc{Buffer: buffer}})
}

// isSizedByWay reports whether kernels use w in more branches than the one that reads for
// how many rows it needs memory.
func (m *planner) isSizedByWay(w *Value) bool {
	if w.Domain == nil {
		return false
	}
	depth := len(m.scopes[w.Name])
	return m.isChosenLater(w.Domain, depth) || slices.ContainsFunc(m.roomOf(w.Domain), func(d *ir.Domain) bool {
		length := m.writer[key{kind: Lengths, of: d}]
		return length != nil && len(length.Writer.ways) > depth
	})
}

// isChosenLater reports whether the room of d is that of one of two ways, and which one only
// more branches than some know.
func (m *planner) isChosenLater(d *ir.Domain, branches int) bool {
	if d.Kind != ir.DomainEither {
		return false
	}
	first, second := m.sources[d][0], m.sources[d][1]
	differ := m.room(first).String() != m.room(second).String()
	by := m.result(m.chosenBy[d]) // nil if that is known from the start
	return differ && by != nil && len(by.Writer.ways) > branches || m.isChosenLater(first, branches) || m.isChosenLater(second, branches)
}

// roomOf returns the domains that say for how many rows of d there has to be memory: d itself,
// that of which its rows are chosen, or the two of which it is one.
func (g *Graph) roomOf(d *ir.Domain) (list []*ir.Domain) {
	switch {
	case d.Kind == ir.DomainEither:
		for _, source := range g.sources[d] {
			list = append(list, g.roomOf(source)...)
		}
		return list
	case isSized(d):
		return []*ir.Domain{d}
	case d.Parent == nil:
		return nil // a parameter's
	}
	return g.roomOf(d.Parent)
}

// sized is a buffer whose length one of two ways reads, and the list of steps in which it
// is allocated, there or in branches.
type sized struct {
	buffer string
	list   *[]plan.Step
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
	for _, s := range m.sizedByWay {
		allocateIn(s.list, s.buffer, func(l *plan.Launch) bool {
			isReplaced := slices.ContainsFunc(l.Bind, func(arg plan.Arg) bool { return arg.Name == s.buffer })
			return uses[l.Kernel][s.buffer] && !isReplaced || slices.ContainsFunc(l.Bind, func(arg plan.Arg) bool { return arg.Buffer == s.buffer })
		})
	}
}

// allocateIn allocates a buffer before the first step that uses it, or in both branches of
// that.
func allocateIn(list *[]plan.Step, buffer string, isBound func(*plan.Launch) bool) {
	var isUse func(s plan.Step) bool
	isUse = func(s plan.Step) bool {
		return s.Init != nil && s.Init.Buffer == buffer || s.Launch != nil && isBound(s.Launch) ||
			s.If != nil && (slices.ContainsFunc(s.If.Then, isUse) || slices.ContainsFunc(s.If.Else, isUse))
	}
	at := slices.IndexFunc(*list, isUse)
	switch {
	case at < 0:
		at = len(*list)
	case (*list)[at].If != nil:
		allocateIn(&(*list)[at].If.Then, buffer, isBound)
		allocateIn(&(*list)[at].If.Else, buffer, isBound)
		return
	}
	*list = slices.Insert(*list, at, plan.Step{Alloc: &plan.Alloc{Buffer: buffer}})
}

// isSecond returns 1 if rows of d are made in the second of two ways, else 0.
func (m *planner) isSecond(d *ir.Domain) plan.Expr {
	if w := m.result(m.chosenBy[d]); w != nil {
		return plan.OneIfZero(w.Name)
	}
	return plan.Sub(plan.Const(1), plan.Min(m.condition(m.chosenBy[d]), plan.Const(1)))
}

// isTable reports whether the rows of d are slots, however they are made.
func (m *planner) isTable(d *ir.Domain) bool {
	if d.Kind == ir.DomainEither {
		return m.isTable(m.sources[d][0])
	}
	return d.By != nil && (d.By.Op == ir.OpCuckoo || d.By.Op == ir.OpInsert)
}

// length returns how many elements the buffer of w must hold when its kernel is
// launched: a domain made by the kernel itself has no length yet, only a bound.
func (m *planner) length(w *Value, made bool) plan.Expr {
	length := plan.Len(m.DomainName(w.Domain))
	if made {
		length = m.room(w.Domain)
	}
	if w.Chunks {
		length = plan.CeilDiv(length, plan.Const(ChunkRows))
	}
	return length
}

// room returns how many rows of d there has to be memory for: what d exceeds in no case, or
// in the way that is taken.
func (m *planner) room(d *ir.Domain) plan.Expr {
	switch {
	case d.Kind == ir.DomainEither:
		first, second := m.room(m.sources[d][0]), m.room(m.sources[d][1])
		if first.String() == second.String() {
			return first
		}
		return plan.Max(first, plan.Mul(second, m.isSecond(d)))
	case d.Room > 0:
		return plan.Min(m.room(d.Parent), plan.Const(d.Room))
	case isBounded(d):
		return plan.Var(m.writer[key{kind: Lengths, of: d}].Name)
	}
	switch d.Kind {
	case ir.DomainParam, ir.DomainBins, ir.DomainRepeat, ir.DomainJoin:
		return m.bound(d)
	case ir.DomainWords:
		return plan.Mul(m.room(d.Parent), plan.Const(int64(d.Width)))
	case ir.DomainEvery:
		return plan.CeilDiv(m.room(d.Parent), plan.Const(int64(d.Width)))
	}
	return m.room(d.Parent)
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
