// Package memory holds columns where another process can map them, so that a
// column of gigabytes is never copied between kgen and the program that it
// runs.
//
// A [Space] hands out zeroed bytes. On systems with anonymous shared files
// (Linux), large ranges live in such a file: a child process can map them by a
// path, and they vanish with the process however it ends. On other systems, and
// below [LeastShared], they are ordinary memory without a path.
package memory

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"
)

// LeastShared is the size from which bytes have a path.
const LeastShared = 1 << 16

// Columns in files begin some lines of a cache apart from each other: files are mapped at
// pages, so that equal rows of many columns would meet in one set of the nearest cache.
const (
	apartBytes  = 6 * 64 // a multiple of 128, which vectors may need
	apartPlaces = 4096 / 128
)

// Space is a set of byte ranges that are freed together. It is safe for
// concurrent use.
type Space struct {
	// Paged has files begin with their bytes, for programs that know nothing of where
	// else they may begin.
	Paged bool

	files int64 // made so far
	limit int64
	mutex sync.Mutex
	used  int64
	held  map[*byte]*block // by first byte
}

// block is one range.
type block struct {
	data    []byte
	counted bool
	file    *sharedFile // nil for ordinary memory
}

// LimitError is a request beyond a space's limit.
type LimitError struct {
	Needed int64 // bytes, with all that is in use
	InUse  int64 // of these
	Limit  int64
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%d bytes of memory are needed, the limit is %d", e.Needed, e.Limit)
}

// NewSpace returns an empty space that holds at most limit bytes; 0 is no limit.
func NewSpace(limit int64) *Space {
	return &Space{limit: limit, held: map[*byte]*block{}}
}

// New returns size zero bytes, aligned for any element. It fails with a
// [LimitError] if the space would exceed its limit.
func (s *Space) New(size int64) ([]byte, error) { return s.take(size, true) }

// Reserve is New for memory that is occupied only as far as it is written, such
// as results of unknown length. It does not count towards the limit.
func (s *Space) Reserve(size int64) ([]byte, error) { return s.take(size, false) }

// Keep counts what Reserve returned, now that it is known how much that is. It fails with a
// [LimitError] if the space would exceed its limit.
func (s *Space) Keep(data []byte) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	b := s.held[unsafe.SliceData(data)]
	if len(data) == 0 || b == nil || b.counted {
		return nil
	}
	if err := s.count(int64(len(b.data))); err != nil {
		return err
	}
	b.counted = true
	return nil
}

// Count counts size bytes that are kept elsewhere. It fails with a [LimitError] if the
// space would exceed its limit.
func (s *Space) Count(size int64) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.count(size)
}

func (s *Space) take(size int64, counted bool) ([]byte, error) {
	if size < 0 || size != int64(int(size)) {
		return nil, fmt.Errorf("no memory of %d bytes", size)
	}
	if size == 0 {
		return nil, nil
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if counted {
		if err := s.count(size); err != nil {
			return nil, err
		}
	}
	b := &block{counted: counted}
	if size >= LeastShared {
		file, data, err := newShared(size, s.start())
		if err != nil && !errors.Is(err, errors.ErrUnsupported) {
			if counted {
				s.used -= size
			}
			return nil, fmt.Errorf("memory of %d bytes: %w", size, err)
		}
		b.file, b.data = file, data
	}
	if b.data == nil {
		b.data = Aligned(size)
	}
	s.held[unsafe.SliceData(b.data)] = b
	return b.data, nil
}

// start says from which byte of the next file on its bytes lie.
func (s *Space) start() int64 {
	if s.Paged {
		return 0
	}
	s.files++
	return s.files % apartPlaces * apartBytes % 4096
}

func (s *Space) count(more int64) error {
	if s.limit > 0 && s.used+more > s.limit {
		return &LimitError{Needed: s.used + more, InUse: s.used, Limit: s.limit}
	}
	s.used += more
	return nil
}

// Resize returns data with size bytes, cut off or padded with zeros. data
// itself must not be used any more. nil grows like New.
func (s *Space) Resize(data []byte, size int64) ([]byte, error) {
	if len(data) == 0 {
		return s.New(size)
	}
	if size == 0 {
		s.Free(data)
		return nil, nil
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	b := s.find(data)
	if b.counted {
		if err := s.count(size - int64(len(b.data))); err != nil {
			return nil, err
		}
	}
	var resized []byte
	var err error
	first := unsafe.SliceData(b.data)
	switch {
	case b.file != nil:
		resized, err = b.file.resize(size)
		if errors.Is(err, errors.ErrUnsupported) {
			resized, err = Aligned(size), nil
			copy(resized, b.data)
			b.file.close()
			b.file = nil
		}
	case size >= LeastShared: // ordinary memory has become too small
		b.file, resized, err = newShared(size, s.start())
		if errors.Is(err, errors.ErrUnsupported) {
			resized, err = Aligned(size), nil
		}
		copy(resized, b.data)
	default:
		resized = Aligned(size)
		copy(resized, b.data)
	}
	if err != nil {
		if b.counted {
			s.used -= size - int64(len(b.data))
		}
		return nil, fmt.Errorf("memory of %d bytes: %w", size, err)
	}
	delete(s.held, first)
	b.data = resized
	s.held[unsafe.SliceData(b.data)] = b
	return b.data, nil
}

func (s *Space) find(data []byte) *block {
	b := s.held[unsafe.SliceData(data)]
	if b == nil || len(b.data) < len(data) {
		panic("memory: these bytes are not of this space")
	}
	return b
}

// Path returns by what a child process can [Map] data, which New, Reserve or Resize of s
// returned: the path of a file, and unless it begins with them, a colon and the place of the
// bytes. It is false if there is none.
func (s *Space) Path(data []byte) (string, bool) {
	if len(data) == 0 {
		return "", false
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	b := s.held[unsafe.SliceData(data)]
	if b == nil || b.file == nil || len(b.data) < len(data) {
		return "", false
	}
	return b.file.path(), true
}

// Settle gives this process's view of data back to the system. The bytes stay
// as they are, and come back when they are used.
func (s *Space) Settle(data []byte) {
	if len(data) == 0 {
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if b := s.held[unsafe.SliceData(data)]; b != nil && b.file != nil {
		b.file.settle()
	}
}

// Free ends the use of data; memory that is not part of s is left to the
// garbage collector.
func (s *Space) Free(data []byte) {
	if len(data) == 0 {
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if b := s.held[unsafe.SliceData(data)]; b != nil {
		s.free(b)
	}
}

func (s *Space) free(b *block) {
	delete(s.held, unsafe.SliceData(b.data))
	if b.counted {
		s.used -= int64(len(b.data))
	}
	if b.file != nil {
		b.file.close()
	}
}

// Used returns how many bytes of New and Resize are in use.
func (s *Space) Used() int64 {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.used
}

// Close frees everything.
func (s *Space) Close() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, b := range s.held {
		s.free(b)
	}
}

// Aligned returns size zero bytes of ordinary memory, aligned for any element.
func Aligned(size int64) []byte {
	words := make([]uint64, (size+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), size)
}
