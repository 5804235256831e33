//go:build cuda

package cuda

import (
	"unsafe"

	"gorgonia.org/cu"

	shared "github.com/kgen-go/kgen/internal/device"
	"github.com/kgen-go/kgen/internal/device/exec"
)

// span is a range of memory to read at once.
type span = shared.Span[cu.DevicePtr]

// Gather reads small parts by way of memory that the device writes while the host goes on.
func (s *session) Gather(reads []exec.Read) error {
	for _, part := range reads {
		if err := part.Memory.(*buffer).Holds(part.Offset, part.To); err != nil {
			return err
		}
	}
	d := s.device
	spans, total := d.small.Spans(reads)
	var err error
	switch {
	case total == 0:
		return s.Sync()
	case total > int64(len(d.staging())):
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
	shared.Spread(reads, spans, d.staged)
	return nil
}

// copied copies spans to the staging memory, one behind the other.
func (s *session) copied(spans []span) error {
	at := int64(0)
	for _, sp := range spans {
		err := s.queued("the copy of a column from the device", false, func() error {
			return cu.MemcpyDtoHAsync(unsafe.Pointer(&s.device.staged[at]), sp.Object+cu.DevicePtr(sp.From), sp.Bytes(), cu.NoStream)
		})
		if err != nil {
			return s.finish(err)
		}
		at += sp.Bytes()
	}
	return s.Sync()
}
