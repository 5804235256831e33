package simttest

import (
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

// storage is an array in local or private memory.
type storage struct {
	length int64
	values []ir.Scalar // of kind Invalid if never written; nil before the first store, which many work-groups never do
}

// memory is what a variable in memory stands for: a storage, or a buffer with the marks
// of the launch, which are looked up once.
type memory struct {
	storage *storage
	buffer  *buffer
	marks   *marks
}

// reference is a variable in memory, as statements name it.
type reference struct {
	place int
	kind  ir.Kind
	size  int64
	name  string
}

func (k *kernel) reference(v *loop.Var) *reference {
	return &reference{k.place(v), v.T.Kind, int64(v.T.Kind.Size()), v.Name}
}

// thread runs the statements of a work-item.
type thread struct {
	*launch
	item    *workItem
	yield   func(pause) bool
	scalars []ir.Scalar // of kind Invalid before they are assigned to
	memory  []memory
}

// abandoned ends a thread whose launch has failed.
type abandoned struct{}

// flow says whether a Break ended the statement.
type flow bool

const broken flow = true

func (t *thread) pause(why pause) {
	if !t.yield(why) {
		panic(abandoned{})
	}
}

// body runs the kernel's statements.
func (t *thread) body() {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(abandoned); !ok {
				panic(r)
			}
		}
	}()
	t.kernel.body(t)
}

// wide returns where an access of several elements begins.
func (t *thread) wide(m *reference, index ir.Scalar, count int) int64 {
	at := index.Int64()
	if at%int64(count) != 0 {
		fail("work-item %d of work-group %d: an access of %d elements at %s[%d]", t.item.localID, t.item.workgroup.id, count, m.name, at)
	}
	return at
}

// begin notes that a work-group has done an atomic operation, if one of them starves.
func (l *launch) begin(g *workgroup) {
	if len(l.begun) < l.device.Starved && !slices.Contains(l.begun, g) {
		l.begun = append(l.begun, g)
	}
}

func (t *thread) load(m *reference, at int64) ir.Scalar {
	t.mark(m, at, plainLoad)
	return t.get(m, at)
}

func (t *thread) store(m *reference, at int64, x ir.Scalar) {
	t.mark(m, at, plainStore)
	t.set(m, at, x)
}

// get and set access memory without the test for races.
func (t *thread) get(m *reference, at int64) ir.Scalar {
	memory := &t.memory[m.place]
	if memory.storage != nil {
		t.inside("loads", m, at, memory.storage.length)
		if values := memory.storage.values; values != nil && values[at].Kind != ir.Invalid {
			return values[at]
		}
		if !t.device.BoundsOnly {
			fail("work-item %d of work-group %d loads %s[%d], which no work-item has stored", t.item.localID, t.item.workgroup.id, m.name, at)
		}
		return ir.Scalar{Kind: m.kind}
	}
	t.inside("loads", m, at, memory.buffer.elements(m))
	return decode(m.kind, memory.buffer.data[at*m.size:])
}

func (t *thread) set(m *reference, at int64, x ir.Scalar) {
	memory := &t.memory[m.place]
	if memory.storage != nil {
		t.inside("stores", m, at, memory.storage.length)
		if memory.storage.values == nil {
			memory.storage.values = make([]ir.Scalar, memory.storage.length)
		}
		memory.storage.values[at] = x
		return
	}
	t.inside("stores", m, at, memory.buffer.elements(m))
	encode(memory.buffer.data[at*m.size:], x)
}

// elements is how many elements of a variable's kind a buffer holds; there is none
// where the variable was never declared.
func (b *buffer) elements(m *reference) int64 {
	if b == nil {
		fail("%s is no memory", m.name)
	}
	return int64(len(b.data)) / m.size
}

func (t *thread) inside(does string, m *reference, at, elements int64) {
	if at < 0 || at >= elements {
		fail("work-item %d of work-group %d %s %s[%d] of %d", t.item.localID, t.item.workgroup.id, does, m.name, at, elements)
	}
}
