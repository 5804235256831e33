package device

import (
	"fmt"
	"math/bits"

	"github.com/kgen-go/kgen/internal/device/exec"
)

// Pool allocates buffers of a device and keeps freed ones by size, for later use.
// M is the driver's handle of memory.
type Pool[M any] struct {
	Limit    int64                        // bytes of the device
	Allocate func(bytes int64) (M, error) // allocates memory of the driver
	Release  func(M)                      // frees memory of the driver
	IsFull   func(error) bool             // whether Allocate failed for lack of memory
	Describe func(error) string           // the driver's text for that error
	Settle   func()                       // waits for queued commands, before memory is freed that they may use; nil if the driver does
	// ReleasePart frees the driver's handle of a part of memory, before that memory is freed; nil
	// if parts have none.
	ReleasePart func(M)
	Exact       bool // buffers have their exact size and are freed at once, for tools that check accesses

	free map[int64][]*Buffer[M]
	held int64 // bytes in use and free
	idle int64 // bytes free
}

// Buffer is memory of a device.
type Buffer[M any] struct {
	Object M
	Size   int64 // bytes

	block *block[M] // of which it is a part; nil for one of the pool
	at    int64     // where it begins there
	used  bool      // of a part: somebody has it

	parts map[part]*Buffer[M] // of one of the pool: parts that there were, which mostly come again
}

// Holds returns an error unless a part lies in the buffer.
func (b *Buffer[M]) Holds(offset int64, part []byte) error {
	if offset < 0 || offset > b.Size-int64(len(part)) {
		return fmt.Errorf("a read of %d bytes at %d of a buffer of %d", len(part), offset, b.Size)
	}
	return nil
}

// Idle returns the bytes of free buffers that the pool keeps.
func (p *Pool[M]) Idle() int64 { return p.idle }

// Held returns the bytes that the pool has allocated from the driver.
func (p *Pool[M]) Held() int64 { return p.held }

// mostWasted bounds the bytes by which a large buffer is rounded up.
const mostWasted int64 = 64 << 20

// roundedSize rounds sizes up so that buffers can be reused: at most an eighth is
// wasted, and little of a buffer that fills a device.
func roundedSize(bytes int64) int64 {
	step := int64(256)
	if bytes > 8*step {
		step = min(int64(1)<<(bits.Len64(uint64(bytes-1))-4), mostWasted)
	}
	return (bytes + step - 1) / step * step
}

// Take returns a buffer of at least the given bytes. The error is an
// [exec.FullError] if there is not enough memory, otherwise the driver's.
func (p *Pool[M]) Take(bytes int64) (*Buffer[M], error) {
	size := roundedSize(bytes)
	if p.Exact {
		size = bytes
	}
	if b := p.fitting(size); b != nil {
		return b, nil
	}
	if size > p.Limit-p.held {
		p.Trim()
	}
	if size > p.Limit-p.held {
		size = bytes // without the rounding it may still fit
	}
	if size > p.Limit-p.held {
		return nil, &exec.FullError{Reason: fmt.Sprintf("the device has %d bytes", p.Limit)}
	}
	object, err := p.Allocate(size)
	if err != nil && p.IsFull(err) && p.idle > 0 {
		p.Trim()
		object, err = p.Allocate(size)
	}
	switch {
	case err != nil && p.IsFull(err):
		return nil, &exec.FullError{Reason: p.Describe(err)}
	case err != nil:
		return nil, err
	}
	p.held += size
	return &Buffer[M]{Object: object, Size: size}, nil
}

// spare is by how much a reused buffer may always be larger than what is asked for.
const spare = 256 << 10

// mostSizes is how many sizes are known at least of which there is no free buffer.
const mostSizes = 16

// fitting takes the smallest free buffer of at least so many bytes, if it is not much
// larger: lengths that depend on data differ a little from run to run.
func (p *Pool[M]) fitting(size int64) *Buffer[M] {
	best := int64(-1)
	for held, list := range p.free {
		if len(list) > 0 && held >= size && held-size <= max(size/4, spare) && (best < 0 || held < best) {
			best = held
		}
	}
	if best < 0 || p.Exact && best != size {
		return nil
	}
	list := p.free[best]
	b := list[len(list)-1]
	if p.free[best] = list[:len(list)-1]; len(list) == 1 && len(p.free) > mostSizes {
		delete(p.free, best)
	}
	p.idle -= best
	return b
}

// Give returns a buffer to the pool. Queued commands may still use it; commands
// of its next user are queued after them.
func (p *Pool[M]) Give(b *Buffer[M]) {
	if p.Exact {
		p.Release(b.Object) // which waits for queued commands
		p.held -= b.Size
		return
	}
	if p.free == nil {
		p.free = map[int64][]*Buffer[M]{}
	}
	p.free[b.Size] = append(p.free[b.Size], b)
	p.idle += b.Size
}

// Trim frees the buffers that are not in use, each behind its parts.
func (p *Pool[M]) Trim() {
	if p.idle > 0 {
		p.settle()
	}
	for _, list := range p.free {
		for _, b := range list {
			p.releaseParts(b)
			p.Release(b.Object)
			p.held -= b.Size
		}
	}
	p.free, p.idle = nil, 0
}

func (p *Pool[M]) settle() {
	if p.Settle != nil {
		p.Settle()
	}
}

// releaseParts frees the parts of a buffer that nobody has. All commands have ended.
func (p *Pool[M]) releaseParts(b *Buffer[M]) {
	for where, part := range b.parts {
		if part.used {
			continue
		}
		if p.ReleasePart != nil {
			p.ReleasePart(part.Object)
		}
		delete(b.parts, where)
	}
}
