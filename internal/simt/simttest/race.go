package simttest

import "slices"

// Two work-items race if both access an element of global memory in one launch, at
// least one of them writes it, and not both accesses are atomic operations or
// volatile loads. A barrier orders the accesses of its work-group.

// access is how an element is accessed.
type access int

const (
	plainLoad access = iota
	plainStore
	atomicAccess
	accesses
)

var accessNames = [accesses]string{"loads", "stores", "updates"}

// conflicts lists what another work-item must not have done before.
var conflicts = [accesses][]access{
	plainLoad:    {plainStore, atomicAccess},
	plainStore:   {plainLoad, plainStore, atomicAccess},
	atomicAccess: {plainLoad, plainStore},
}

// marks holds, for each kind of access and each few bytes of a buffer, who has made it last in this
// launch.
type marks struct {
	grain int64            // so many bytes: those of the smallest element that was accessed
	of    [accesses][]mark // nil if there was none
}

// mark is of an access of a work-item, after so many barriers of its work-group. Numbers are from
// 1, and 0 for none.
type mark struct{ item, workgroup, barriers int32 }

// several stands for more than one.
const several = -1

// races reports whether an access of another work-item may come before or after one.
func (m mark) races(with mark) bool {
	isOrdered := m.workgroup == with.workgroup && m.barriers < with.barriers
	return m.item != 0 && m.item != with.item && !isOrdered
}

// with returns the mark of both.
func (m mark) with(later mark) mark {
	switch {
	case m.item == 0, m.workgroup == later.workgroup && m.barriers < later.barriers:
		return later
	case m.workgroup != later.workgroup:
		return mark{item: several, workgroup: several}
	case m.item != later.item:
		later.item = several
	}
	return later
}

// marksOf returns those of a buffer.
func (l *launch) marksOf(b *buffer, size int64) *marks {
	m := l.marks[b]
	if m == nil {
		m = &marks{grain: size}
		l.marks[b] = m
	}
	return m
}

// split has marks for elements of so many bytes.
func (m *marks) split(size int64) {
	for how, list := range m.of {
		m.of[how] = nil
		for _, one := range list {
			m.of[how] = append(m.of[how], slices.Repeat([]mark{one}, int(m.grain/size))...)
		}
	}
	m.grain = size
}

// mark records an access and reports a race.
func (t *thread) mark(v *reference, at int64, how access) {
	memory := &t.memory[v.place]
	b := memory.buffer
	if b == nil || t.device.BoundsOnly || at < 0 || at >= b.elements(v) {
		return
	}
	if memory.marks == nil {
		memory.marks = t.marksOf(b, v.size)
	}
	m := memory.marks
	if v.size < m.grain {
		m.split(v.size)
	}
	if m.of[how] == nil {
		m.of[how] = make([]mark, (int64(len(b.data))+m.grain-1)/m.grain)
	}
	g := t.item.workgroup
	me := mark{int32(g.id*t.size + t.item.localID + 1), int32(g.id + 1), g.barriers}
	for i := at * v.size / m.grain; i < (at+1)*v.size/m.grain; i++ {
		for _, other := range conflicts[how] {
			if m.of[other] != nil && m.of[other][i].races(me) {
				fail("work-item %d of work-group %d %s %s[%d], which another %s in the same launch",
					t.item.localID, t.item.workgroup.id, accessNames[how], v.name, at, accessNames[other])
			}
		}
		m.of[how][i] = m.of[how][i].with(me)
	}
}
