//go:build cuda

package cuda

import (
	"slices"
	"unsafe"

	"gorgonia.org/cu"

	"github.com/kgen-go/kgen/internal/device/exec"
)

// span is a range of memory to read at once.
type span struct {
	from, to cu.DevicePtr
}

func spanOf(part exec.Read) span {
	from := part.Memory.(*buffer).Object + cu.DevicePtr(part.Offset)
	return span{from, from + cu.DevicePtr(len(part.To))}
}

// words widens a span to whole words, with which memory begins and ends unless it is exact.
func (d *device) words(s span) span {
	if d.pool.Exact {
		return s
	}
	return span{s.from &^ 7, (s.to + 7) &^ 7}
}

func (s span) bytes() int { return int(s.to - s.from) }

func (s span) holds(other span) bool { return s.from <= other.from && other.to <= s.to }

// mostBetween is how many bytes are read in vain rather than by another command.
const mostBetween = 16 << 10

// joined returns the span of both, if one read may cover them: they lie close to each other
// and in one block.
func (d *device) joined(a, b span) (span, bool) {
	both := span{min(a.from, b.from), max(a.to, b.to)}
	if both.bytes()-a.bytes()-b.bytes() > mostBetween {
		return a, false
	}
	return both, slices.ContainsFunc(d.blocks, func(block *block) bool {
		return span{block.Object, block.Object + blockBytes}.holds(both)
	})
}

// spans returns what to read for the parts.
func (d *device) spans(reads []exec.Read) (spans []span, total int) {
	for _, part := range reads {
		wanted := d.words(spanOf(part))
		if slices.ContainsFunc(spans, func(s span) bool { return s.holds(wanted) }) {
			continue
		}
		if last := len(spans) - 1; last >= 0 {
			if both, ok := d.joined(spans[last], wanted); ok {
				spans[last] = both
				continue
			}
		}
		spans = append(spans, wanted)
	}
	for _, s := range spans {
		total += s.bytes()
	}
	return spans, total
}

// Gather reads small parts by way of memory that the device writes while the host goes on.
func (s *session) Gather(reads []exec.Read) error {
	for _, part := range reads {
		if err := part.Memory.(*buffer).Holds(part.Offset, part.To); err != nil {
			return err
		}
	}
	d := s.device
	spans, total := d.spans(reads)
	var err error
	switch {
	case total > len(d.staging()):
		for _, part := range reads {
			if err := s.Read(part.Memory, part.Offset, part.To); err != nil {
				return err
			}
		}
		return nil
	case total <= mostReported && !s.timed && d.reporter() != nil:
		err = s.reported(spans)
	default:
		err = s.copied(spans)
	}
	if err != nil {
		return err
	}
	for _, part := range reads {
		wanted, at := spanOf(part), 0
		for _, sp := range spans {
			if sp.holds(wanted) {
				copy(part.To, d.staged[at+int(wanted.from-sp.from):])
				break
			}
			at += sp.bytes()
		}
	}
	return nil
}

// copied copies spans to the staging memory, one behind the other.
func (s *session) copied(spans []span) error {
	at := 0
	for _, sp := range spans {
		if sp.bytes() == 0 {
			continue
		}
		err := s.queued("the copy of a column from the device", false, func() error {
			return cu.MemcpyDtoHAsync(unsafe.Pointer(&s.device.staged[at]), sp.from, int64(sp.bytes()), cu.NoStream)
		})
		if err != nil {
			return s.finish(err)
		}
		at += sp.bytes()
	}
	return s.Sync()
}
