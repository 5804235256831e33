package simttest

import "github.com/kgen-go/kgen/internal/loop"

// Two work-items race if both access an element of global memory in one launch, at
// least one of them writes it, and not both accesses are atomic operations or
// volatile loads. Barriers of a work-group do not order global memory.

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

// marks holds, for each kind of access and each byte of a buffer, the number of the
// work-item that has made it in this launch: from 1, or 0 for none.
type marks [accesses][]int

// several stands for more than one work-item.
const several = -1

// mark records an access and reports a race.
func (t *thread) mark(v *loop.Var, at int64, how access) {
	b, ok := t.memory(v).(*buffer)
	size := int64(v.T.Kind.Size())
	if !ok || t.device.BoundsOnly || at < 0 || at >= int64(len(b.data))/size {
		return
	}
	m := t.marks[b]
	if m == nil {
		m = &marks{}
		for i := range m {
			m[i] = make([]int, len(b.data))
		}
		t.marks[b] = m
	}
	me := t.item.workgroup.id*t.size + t.item.localID + 1
	for i := at * size; i < (at+1)*size; i++ {
		for _, other := range conflicts[how] {
			if by := m[other][i]; by != 0 && by != me {
				fail("work-item %d of work-group %d %s %s[%d], which another %s in the same launch",
					t.item.localID, t.item.workgroup.id, accessNames[how], v.Name, at, accessNames[other])
			}
		}
		switch by := &m[how][i]; *by {
		case 0:
			*by = me
		case me:
		default:
			*by = several
		}
	}
}
