package loop

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/ir"
)

// A kernel of one work-item waits for nobody, and changes local memory plainly; what others see stays atomic.
func TestSingleWorkItem(t *testing.T) {
	b := NewBuilder("k")
	words := b.Param("words", SliceOf(ScalarOf(ir.U32)).In(Global))
	shared := b.Storage("shared", ArrayOf(4, ScalarOf(ir.U32)).In(Local))
	id := b.Let("local_id", &ID{Kind: LocalID})
	one, two := ConstOf(ir.Int(ir.U32, 1)), ConstOf(ir.Int(ir.U32, 2))
	b.If(Lt(id, Int(1)), func() {
		b.Barrier(WorkgroupScope)
		for _, op := range []AtomicOp{AtomicAdd, AtomicMin, AtomicMax, AtomicAnd, AtomicOr, AtomicExchange} {
			b.Atomic(op, shared, id, two)
		}
		before := b.CompareExchange("before", shared, id, one, two)
		b.Atomic(AtomicAdd, words, Int(0), before)
	}, nil)
	b.Fence(DeviceScope)
	b.Kernel(1)
	f := b.Func()
	SingleWorkItem(f)
	p := &Program{Name: "k", Funcs: []*Func{f}}
	if err := Verify(p, Simt); err != nil {
		t.Fatal(err)
	}
	text := p.String()
	for want, times := range map[string]int{"barrier": 0, "atomic": 1, "fence": 1, "local_id counter = 0": 1, "shared[at": 14} {
		if got := strings.Count(text, want); got != times {
			t.Errorf("%q is there %d times, not %d, in\n%s", want, got, times, text)
		}
	}
}
