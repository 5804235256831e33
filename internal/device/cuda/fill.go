//go:build cuda

package cuda

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unsafe"

	"gorgonia.org/cu"

	"github.com/kgen-go/kgen/internal/device/exec"
)

func (s *session) Fill(m exec.Memory, element []byte, count int64) error {
	b := m.(*buffer)
	size := count * int64(len(element))
	if size == 0 {
		return nil
	}
	if size > b.Size {
		return fmt.Errorf("a fill of %d bytes in a buffer of %d", size, b.Size)
	}
	word := element
	for len(word) > 1 && bytes.Equal(word[:len(word)/2], word[len(word)/2:]) {
		word = word[:len(word)/2]
	}
	if len(word) == 1 && !s.timed {
		if later, err := s.device.small.FillLater(b, word[0], size); later || err != nil {
			return s.putOff(err)
		}
	}
	if s.gathers && len(word) <= 4 {
		return s.wait(func(b2 *batch) { b2.fill(b.Object, word, size) })
	}
	return s.queued("the fill of a buffer", false, func() error { return fill(b.Object, word, size) })
}

// putOff is the error of a fill that was put off.
func (s *session) putOff(err error) error {
	if err == nil {
		return nil
	}
	return s.notLost("the fill of a buffer", described{err})
}

// fill stores a word of 1, 2, 4 or 8 bytes until size bytes are full. The
// driver sets words of at most 4 bytes; for longer ones it repeatedly
// copies the filled part, which doubles.
func fill(to cu.DevicePtr, word []byte, size int64) error {
	switch len(word) {
	case 1:
		return cu.MemsetD8Async(to, word[0], size, cu.NoStream)
	case 2:
		return cu.MemsetD16Async(to, binary.LittleEndian.Uint16(word), size/2, cu.NoStream)
	case 4:
		return cu.MemsetD32Async(to, uint(binary.LittleEndian.Uint32(word)), size/4, cu.NoStream)
	}
	pattern := bytes.Repeat(word, int(min(size, 4096))/len(word))
	if err := cu.MemcpyHtoD(to, unsafe.Pointer(&pattern[0]), int64(len(pattern))); err != nil {
		return err
	}
	for full := int64(len(pattern)); full < size; full *= 2 {
		if err := cu.MemcpyDtoDAsync(to+cu.DevicePtr(full), to, min(full, size-full), cu.NoStream); err != nil {
			return err
		}
	}
	return nil
}
