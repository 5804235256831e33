//go:build opencl

package opencl

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/jgillich/go-opencl/cl"

	shared "github.com/kgen-go/kgen/internal/device"
)

// buffer is memory of the device. It must stay reachable while a kernel that
// has it as an argument is queued; the session sees to that.
type buffer = shared.Buffer[*cl.MemObject]

// newPool returns the memory of a device, whose large buffers begin at places of its own.
func newPool(context *cl.Context, limit int64, places *apart) shared.Pool[*cl.MemObject] {
	return shared.Pool[*cl.MemObject]{
		Limit: limit,
		Allocate: func(bytes int64) (*cl.MemObject, error) {
			place := places.next(bytes)
			m, err := context.CreateEmptyBuffer(cl.MemReadWrite, int(place+bytes))
			if err != nil {
				return nil, err
			}
			runtime.SetFinalizer(m, nil) // the pool releases it, behind its parts
			if place == 0 {
				return m, nil
			}
			defer m.Release() // its part keeps it
			return partOf(m, place, bytes)
		},
		Release:     (*cl.MemObject).Release,
		ReleasePart: (*cl.MemObject).Release,
		IsFull:      isMemory,
		Describe:    describe,
	}
}

// apart is where large buffers of a CPU device begin behind memory of the driver, which begins at pages: each some lines of a cache farther,
// since all columns of a kernel would else want the same few lines. Of eight columns of results a core stores 10^6 rows in 14 ns each
// so, and in 30 if they begin together. A device without an alignment has no such places.
type apart struct{ align, made int64 }

const (
	apartLeast = 256 << 10 // blocks of small buffers are no larger, and are parted themselves
	apartSteps = 3         // of the alignment
	pageBytes  = 4096
)

// next returns the place of one more buffer.
func (a *apart) next(bytes int64) int64 {
	if a.align == 0 || bytes <= apartLeast {
		return 0
	}
	a.made++
	return a.made * apartSteps * a.align % pageBytes
}

func isMemory(err error) bool {
	return errors.Is(err, cl.ErrMemObjectAllocationFailure) || errors.Is(err, cl.ErrInvalidBufferSize) || errors.Is(err, cl.ErrOutOfResources) || errors.Is(err, cl.ErrOutOfHostMemory)
}

// event is the driver's event of a command, or none.
type event struct {
	mark
	span *span // that the command is part of, or nil
}

// span is the time of several commands, in nanoseconds of the device's clock.
type span struct{ start, end int64 }

func (e event) State() (done bool, err error) {
	if e.isNone() {
		return false, nil
	}
	state := e.status()
	if state < 0 {
		err = fmt.Errorf("OpenCL error %d", state)
	}
	return state == 0, err
}

// Alone is false of a command without an event.
func (e event) Alone() bool { return !e.isNone() }

func (e event) Took() time.Duration {
	if e.isNone() {
		return 0
	}
	start, end, ok := e.times()
	if !ok {
		return 0
	}
	if e.span != nil {
		if e.span.end == 0 {
			e.span.start = start
		}
		e.span.end = end
	}
	return time.Duration(end - start)
}

func (e event) Release() {
	if !e.isNone() {
		e.release()
	}
}
