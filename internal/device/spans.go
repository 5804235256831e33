package device

import (
	"slices"

	"github.com/kgen-go/kgen/internal/device/exec"
)

// Span is a range of a buffer or of a block, to read at once.
type Span[M any] struct {
	Object   M
	From, To int64

	whole *Buffer[M] // that, or the buffer of the block
}

// Bytes returns the length.
func (s Span[M]) Bytes() int64 { return s.To - s.From }

func (s Span[M]) holds(other Span[M]) bool {
	return s.whole == other.whole && s.From <= other.From && other.To <= s.To
}

func spanOf[M any](read exec.Read) Span[M] {
	whole, from := read.Memory.(*Buffer[M]), read.Offset
	if b := whole.block; b != nil {
		whole, from = b.Buffer, from+whole.at
	}
	return Span[M]{whole.Object, from, from + int64(len(read.To)), whole}
}

// mostBetween is how many bytes are read in vain rather than by another command.
const mostBetween = 16 << 10

// join makes s the span of both, if one read may cover them: they lie close to each other, in
// one block.
func (s *Span[M]) join(other Span[M]) bool {
	from, to := min(s.From, other.From), max(s.To, other.To)
	if s.whole != other.whole || to-from-s.Bytes()-other.Bytes() > mostBetween {
		return false
	}
	s.From, s.To = from, to
	return true
}

// Spans returns what to read for some parts of buffers, and its bytes. Spans are whole words, with
// which memory begins and ends unless it is exact.
// The list is the blocks', until the next one.
func (s *Blocks[M]) Spans(reads []exec.Read) (spans []Span[M], total int64) {
	spans = s.spans[:0]
	defer func() { s.spans = spans }()
	for _, read := range reads {
		wanted := spanOf[M](read)
		if wanted.Bytes() == 0 {
			continue
		}
		if !s.Pool.Exact {
			wanted.From, wanted.To = wanted.From&^7, (wanted.To+7)&^7
		}
		last := len(spans) - 1
		if slices.ContainsFunc(spans, func(s Span[M]) bool { return s.holds(wanted) }) || last >= 0 && spans[last].join(wanted) {
			continue
		}
		spans = append(spans, wanted)
	}
	for _, span := range spans {
		total += span.Bytes()
	}
	return spans, total
}

// Spread copies spans, which lie one behind the other, to where they were to be read.
func Spread[M any](reads []exec.Read, spans []Span[M], data []byte) {
	for _, read := range reads {
		wanted, at := spanOf[M](read), int64(0)
		for _, span := range spans {
			if span.holds(wanted) {
				copy(read.To, data[at+wanted.From-span.From:])
				break
			}
			at += span.Bytes()
		}
	}
}
