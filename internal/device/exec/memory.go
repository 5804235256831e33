package exec

import (
	"errors"
	"fmt"
	"math"

	"github.com/kgen-go/kgen/plan"
)

// allocation is the memory behind a buffer's name.
type allocation struct {
	memory Memory
	length int64 // elements
	bytes  int64
	lent   bool // the memory is the caller's
}

// store owns the device memory of one run.
type store struct {
	device  Device
	buffers map[string]*allocation
	limit   int64 // bytes; 0 is none
	largest int64 // bytes of one buffer; 0 is no limit
	inUse   int64
	peak    int64
	spare   []*allocation // of buffers that there were
}

// begin readies the store for a run.
func (s *store) begin(d Device, limit, largest int64) {
	if s.buffers == nil {
		s.buffers = map[string]*allocation{}
	}
	s.device, s.limit, s.largest, s.inUse, s.peak = d, limit, largest, 0, 0
}

// add gives a buffer memory, that of a column if there is one, and records it.
func (s *store) add(b *plan.Buffer, length int64, column *Column) (*allocation, error) {
	size := int64(b.Kind.Size())
	if length < 0 {
		return nil, fmt.Errorf("buffer %q: a length of %d elements", b.Name, length)
	}
	if length > math.MaxInt64/size {
		return nil, fmt.Errorf("buffer %q: %d elements of %d bytes: %w", b.Name, length, size, plan.ErrOverflow)
	}
	s.drop(b.Name)
	// No driver allocates 0 bytes.
	bytes := max(length*size, size)
	switch {
	case s.limit > 0 && bytes > s.limit-s.inUse:
		return nil, &AllocError{Buffer: b.Name, Bytes: bytes, InUse: s.inUse, Limit: s.limit}
	case s.largest > 0 && bytes > s.largest:
		return nil, &AllocError{Buffer: b.Name, Bytes: bytes, InUse: s.inUse, Limit: s.largest,
			Err: fmt.Errorf("the device holds at most %d bytes in one buffer", s.largest)}
	}
	var memory Memory
	var err error
	lent := column != nil && column.Resident != nil
	switch {
	case lent:
		memory = column.Resident.Memory
	case column != nil:
		memory, err = s.device.Import(column.Data)
	default:
		memory, err = s.device.Alloc(bytes)
	}
	if err != nil {
		var full *FullError
		if errors.As(err, &full) {
			return nil, &AllocError{Buffer: b.Name, Bytes: bytes, InUse: s.inUse, Err: err}
		}
		return nil, fmt.Errorf("buffer %q on the device: %w", b.Name, err)
	}
	a := s.record()
	*a = allocation{memory, length, bytes, lent}
	s.buffers[b.Name] = a
	s.inUse += bytes
	s.peak = max(s.peak, s.inUse)
	return a, nil
}

// record returns where an allocation is recorded.
func (s *store) record() *allocation {
	last := len(s.spare) - 1
	if last < 0 {
		return new(allocation)
	}
	a := s.spare[last]
	s.spare = s.spare[:last]
	return a
}

// drop frees a buffer's memory, if it has any.
func (s *store) drop(name string) {
	if a := s.buffers[name]; a != nil {
		if !a.lent {
			s.device.Free(a.memory)
		}
		s.forget(name)
	}
}

// forget ends the use of a buffer whose memory stays.
func (s *store) forget(name string) {
	a := s.buffers[name]
	s.inUse -= a.bytes
	delete(s.buffers, name)
	*a = allocation{}
	s.spare = append(s.spare, a)
}

// release frees everything.
func (s *store) release() {
	for name := range s.buffers {
		s.drop(name)
	}
	s.device = nil
}
