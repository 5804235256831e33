package simt

import (
	"fmt"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// status is how the tiles of a launch publish the state of a cut to each other: in
// words of 64 bits. Each word has a flag of its own in the highest bits, so no order
// among words is assumed. If a state fits one word, the flag says whether it is an
// aggregate or a prefix. A wider state has words for both.
type status struct {
	*state
	cut    int
	buffer string
	words  int
	sole   bool      // one word, for either
	once   bool      // tiles publish only aggregates
	parts  []bitPart // of the slots, in parts that lie in one word each
}

// bitPart is a part of a slot within the words.
type bitPart struct {
	slot        int
	from, count int // bits of the slot, from its lowest
	word, shift int
}

// The flags of a word.
const (
	flagAggregate = 1 // of the tile's own rows
	flagPrefix    = 2 // of all rows up to the tile's last
)

// The bits of a word that hold a state. A flag that tells an aggregate from a prefix
// takes two bits; a flag that only says that the word is published takes one.
const (
	soleBits = 62
	wordBits = 63
)

// width returns the bits that a slot takes.
func (s slot) width() int {
	switch {
	case s.counts && s.kind == ir.I32:
		return 31
	case s.counts, s.short:
		return soleBits
	case s.kind == ir.Bool:
		return 1
	}
	return 8 * s.kind.Size()
}

// newStatus lays out the words of a state.
func newStatus(st *state, cut int, buffer string, once bool) *status {
	t := &status{state: st, cut: cut, buffer: buffer, once: once}
	total := 0
	for _, s := range st.slots {
		total += s.width()
	}
	capacity := wordBits
	if t.sole = total <= soleBits && !once; t.sole {
		capacity = soleBits
	}
	// A slot of 64 bits fills a word except for its highest bit, which goes to any
	// word with a bit left, like the narrower slots.
	var free []int // of the words
	place := func(j, from, count int) {
		for w := range free {
			if free[w] >= count {
				t.parts = append(t.parts, bitPart{j, from, count, w, capacity - free[w]})
				free[w] -= count
				return
			}
		}
		t.parts = append(t.parts, bitPart{j, from, count, len(free), 0})
		free = append(free, capacity-count)
	}
	for j, s := range st.slots {
		if s.width() > wordBits {
			place(j, 0, wordBits)
		}
	}
	for j, s := range st.slots {
		if s.width() <= wordBits {
			place(j, 0, s.width())
		}
	}
	for j, s := range st.slots {
		if s.width() > wordBits {
			place(j, wordBits, s.width()-wordBits)
		}
	}
	t.words = len(free)
	return t
}

// statusName returns a name for the words of a cut.
func (s *launches) statusName(cut int) string {
	return s.fresh(fmt.Sprintf("%s_status%d", s.Name, cut))
}

// addStatus adds the words of a cut to the plan.
func (s *launches) addStatus(st *status, words plan.Expr) {
	s.addBuffer(plan.Buffer{Name: st.buffer, Kind: plan.U64, Role: plan.Status, Length: words})
}

// Bits of the word by which kernels give up. A failed check must not end the waiting of
// others, which then go on with a state that nobody has published.
const (
	abortWaited  = 1 << iota // a work-group waited too long for another: all stop waiting
	abortChecked             // a check failed in a row without a number
	abortOrder               // rows of one digit were in another order
)

// addAbort adds that word.
func (l *lowering) addAbort() {
	if l.abort == "" {
		l.abort = l.fresh("abort")
		l.out.Buffers = append(l.out.Buffers, plan.Buffer{Name: l.abort, Kind: plan.U32, Role: plan.Abort, Length: plan.Const(1)})
	}
}

func number(k ir.Kind, n int64) loop.Expr { return loop.ConstOf(ir.Int(k, n)) }

func word(bits uint64) loop.Expr { return loop.ConstOf(ir.Scalar{Kind: ir.U64, Bits: bits}) }

// pack returns the words of a state, without flags.
func (t *status) pack(e *function, values []loop.Expr) []loop.Expr {
	whole := make([]loop.Expr, len(t.slots))
	for j, s := range t.slots {
		x := values[j]
		switch k := s.kind.Stored(); {
		case k.IsFloat() || k == ir.Char8:
			x = loop.BitsOf(x)
		case k.IsInteger() && k.Size() < 8: // no copies of the sign
			x = loop.ToKind(map[int]ir.Kind{1: ir.U8, 2: ir.U16, 4: ir.U32}[k.Size()], x)
		}
		whole[j] = e.b.Let("bits", loop.ToKind(ir.U64, x))
	}
	words := make([]loop.Expr, t.words)
	for _, b := range t.parts {
		x := whole[b.slot]
		switch {
		case b.from > 0:
			x = loop.Apply(ir.OpShr, x, word(uint64(b.from)))
		case b.count < t.slots[b.slot].width():
			x = loop.Apply(ir.OpAnd, x, word(1<<b.count-1))
		}
		if b.shift > 0 {
			x = loop.Apply(ir.OpShl, x, word(uint64(b.shift)))
		}
		if words[b.word] != nil {
			x = loop.Apply(ir.OpOr, words[b.word], x)
		}
		words[b.word] = x
	}
	return words
}

// unpack returns the state that words hold.
func (t *status) unpack(e *function, words []loop.Expr) []loop.Expr {
	whole := make([]loop.Expr, len(t.slots))
	for _, b := range t.parts {
		x := words[b.word]
		if b.shift > 0 {
			x = loop.Apply(ir.OpShr, x, word(uint64(b.shift)))
		}
		x = loop.Apply(ir.OpAnd, x, word(1<<b.count-1))
		if b.from > 0 {
			x = loop.Apply(ir.OpOr, whole[b.slot], loop.Apply(ir.OpShl, x, word(uint64(b.from))))
		}
		whole[b.slot] = x
	}
	values := make([]loop.Expr, len(t.slots))
	for j, s := range t.slots {
		x := whole[j]
		switch {
		case s.kind == ir.Bool:
			x = loop.Ne(x, word(0))
		case s.kind == ir.F32:
			x = loop.FromBits(s.kind, loop.ToKind(ir.U32, x))
		case s.kind == ir.F64 || s.kind == ir.Char8:
			x = loop.FromBits(s.kind, x)
		default:
			x = loop.ToKind(s.kind, x)
		}
		values[j] = e.b.Let("theirs", x)
	}
	return values
}

// place returns the index of a word of a tile; flag chooses between the words of
// its aggregate and of its prefix, if they differ.
func (t *status) place(tile loop.Expr, flag, word int) loop.Expr {
	if t.sole {
		return tile
	}
	if t.once {
		return loop.Add(loop.Mul(tile, loop.Int(int64(t.words))), loop.Int(int64(word)))
	}
	at := (flag-flagAggregate)*t.words + word
	return loop.Add(loop.Mul(tile, loop.Int(int64(2*t.words))), loop.Int(int64(at)))
}

// flagged returns the bits of a flag.
func (t *status) flagged(flag int) loop.Expr {
	if t.sole {
		return word(uint64(flag) << soleBits)
	}
	return word(1 << wordBits)
}

// publish publishes a state to the tiles behind.
func (t *status) publish(e *tileBody, memory *loop.Var, flag int, values []loop.Expr) {
	for w, x := range t.pack(e.function, values) {
		e.b.AtomicOld("former", loop.AtomicExchange, memory, t.place(e.tile, flag, w), loop.Apply(ir.OpOr, x, t.flagged(flag)))
	}
}

// isThere reports whether a word has been published, and isPrefix whether the only
// word of a state holds a prefix.
func (t *status) isThere(x loop.Expr) loop.Expr { return loop.Ge(x, t.flagged(flagAggregate)) }

func (t *status) isPrefix(x loop.Expr) loop.Expr { return loop.Ge(x, t.flagged(flagPrefix)) }
