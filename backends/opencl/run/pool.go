//go:build opencl

package run

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/jgillich/go-opencl/cl"
)

// pool hands out buffers and keeps those that are given back, by size.
type pool struct {
	context *cl.Context
	limit   int64 // bytes of the device
	free    map[int64][]*buffer
	held    int64 // bytes in use and free
	idle    int64 // bytes free
}

// buffer is memory of the device. It must stay reachable while a kernel that
// has it as an argument is queued; the session sees to that.
type buffer struct {
	object *cl.MemObject
	size   int64
}

// roundedSize makes sizes meet again: at most an eighth is wasted.
func roundedSize(bytes int64) int64 {
	step := int64(256)
	if bytes > 8*step {
		step = int64(1) << (bits.Len64(uint64(bytes-1)) - 4)
	}
	return (bytes + step - 1) / step * step
}

func (p *pool) take(bytes int64) (*buffer, error) {
	size := roundedSize(bytes)
	if list := p.free[size]; len(list) > 0 {
		b := list[len(list)-1]
		p.free[size] = list[:len(list)-1]
		p.idle -= size
		return b, nil
	}
	if size > p.limit-p.held {
		p.trim()
	}
	if size > p.limit-p.held {
		size = bytes // without the rounding it may still fit
	}
	if size > p.limit-p.held {
		return nil, fmt.Errorf("the device has %d bytes", p.limit)
	}
	object, err := p.context.CreateEmptyBuffer(cl.MemReadWrite, int(size))
	if isMemory(err) && p.idle > 0 {
		p.trim()
		object, err = p.context.CreateEmptyBuffer(cl.MemReadWrite, int(size))
	}
	if err != nil {
		return nil, errors.New(describe(err))
	}
	p.held += size
	return &buffer{object, size}, nil
}

func isMemory(err error) bool {
	return errors.Is(err, cl.ErrMemObjectAllocationFailure) || errors.Is(err, cl.ErrOutOfResources) || errors.Is(err, cl.ErrOutOfHostMemory)
}

// give takes a buffer back. What is queued may still use it: whoever gets it
// next queues behind.
func (p *pool) give(b *buffer) {
	if p.free == nil {
		p.free = map[int64][]*buffer{}
	}
	p.free[b.size] = append(p.free[b.size], b)
	p.idle += b.size
}

// trim gives free buffers back to the driver.
func (p *pool) trim() {
	for _, list := range p.free {
		for _, b := range list {
			b.object.Release()
			p.held -= b.size
		}
	}
	p.free, p.idle = nil, 0
}
